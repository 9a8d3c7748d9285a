import CLinux

/// The user of the process at the other end of a TCP connection of this machine, by one question
/// about one socket (sock_diag(7)): the cost does not grow with the connections that are open.
package enum SocketOwner: Equatable, Sendable {
    case user(UInt32)
    /// The socket is not connected any more, or its process has let go of it.
    case none
    /// The kernel does not answer such questions.
    case unknown

    /// - Parameters:
    ///   - peer: the end whose user is wanted.
    ///   - own: this process's end.
    package init(of peer: SocketAddress, connectedTo own: SocketAddress) {
        var user: UInt32 = 0
        switch Self.ask(peer, own, &user) {
        case 1: self = .user(user)
        case 2: self = .none
        // A kernel without the part that answers says so, too. The own end is there in any case.
        case 0: self = Self.ask(own, peer, &user) > 0 ? .none : .unknown
        default: self = .unknown
        }
    }

    private static func ask(_ local: SocketAddress, _ remote: SocketAddress, _ user: inout UInt32) -> CInt {
        // A program may reach an IPv4 address through an IPv6 socket.
        let (local, remote) = (local.unmapped, remote.unmapped)
        guard local.path == nil, remote.path == nil, local.isIPv6 == remote.isIPv6 else { return -1 }
        return local.withAddressBytes { localBytes in
            remote.withAddressBytes { remoteBytes in
                clinux_tcp_user(
                    local.isIPv6 ? 1 : 0, localBytes.baseAddress, local.port, remoteBytes.baseAddress, remote.port,
                    &user)
            }
        }
    }
}
