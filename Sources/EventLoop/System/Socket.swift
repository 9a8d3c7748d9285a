import CLinux
import Glibc

/// The socket calls that listeners and connections share.
enum Socket {
    /// A non-blocking TCP socket that children do not inherit.
    static func open(family: CInt) throws(SystemError) -> CInt {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        return descriptor
    }

    @discardableResult
    static func set(_ descriptor: CInt, _ level: Int, _ option: CInt, _ value: CInt) -> Bool {
        var value = value
        return setsockopt(descriptor, CInt(level), option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    }

    /// When idle connections are probed, how often, and how many probes may stay without an answer;
    /// in seconds.
    static let (keepAliveIdle, keepAliveInterval, keepAliveProbes): (CInt, CInt, CInt) = (15, 5, 3)
    /// Seconds without an acknowledgement after which a connection is given up. It counts for idle
    /// connections too, from the last byte that came, and the kernel looks at it with each probe
    /// (tcp(7), RFC 5482): where it is shorter than the time of all probes, one lost probe kills a
    /// sound connection.
    static let userTimeout = keepAliveIdle + keepAliveInterval * keepAliveProbes

    /// Detects that the other machine has gone: by probes on idle connections, by missing
    /// acknowledgements on busy ones.
    static func setKeepAlive(_ descriptor: CInt) {
        set(descriptor, Int(SOL_SOCKET), SO_KEEPALIVE, 1)
        set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, keepAliveIdle)
        set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, keepAliveInterval)
        set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, keepAliveProbes)
        set(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, userTimeout * 1000)
    }

    /// The address that a socket is bound to.
    static func localAddress(_ descriptor: CInt) -> SocketAddress? {
        read { getsockname(descriptor, $0, $1) } ?? localPath(descriptor)
    }

    /// The path of a Unix socket; nil where it has none that can be written down. Apart, because
    /// the other ends of Unix sockets, which `read` is for too, name themselves as they please.
    private static func localPath(_ descriptor: CInt) -> SocketAddress? {
        var name = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, CInt(name.sun_family) == AF_UNIX else { return nil }
        let bytes = withUnsafeBytes(of: name.sun_path) { Array($0.prefix { $0 != 0 }) }
        return String(validating: bytes, as: UTF8.self).flatMap { SocketAddress(path: $0) }
    }

    /// The user who connected to a Unix socket; nil where the kernel does not know, as for
    /// connections over a network.
    static func peerUserID(_ descriptor: CInt) -> UInt32? {
        var user: UInt32 = 0
        return clinux_peer_user(descriptor, &user) == 0 ? user : nil
    }

    /// Runs a call that fills in an address.
    static func read(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt)
        -> SocketAddress?
    {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                call(address, &length) == 0 ? SocketAddress(address) : nil
            }
        }
    }
}
