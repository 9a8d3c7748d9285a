import Glibc

/// A listening socket that the process was started with (sd_listen_fds(3)). All loops share it,
/// each by a descriptor of its own: several may be told of one connection, and a loop that comes
/// second finds that there is nothing to accept.
///
/// What must hold: once something listens by it, its own descriptor is never closed, so that the
/// kernel keeps the queue of connections until the process has ended, and then the process that
/// started it still has the socket.
public final class InheritedSocket: Sendable {
    /// What it is bound to.
    public let address: SocketAddress
    private let descriptor: CInt

    /// Takes a descriptor over; nil, and the descriptor is left alone, where it does not listen for
    /// connections.
    public init?(descriptor: CInt) {
        guard Self.listens(descriptor), let address = Socket.localAddress(descriptor) else { return nil }
        self.descriptor = descriptor
        self.address = address
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Of the socket, not of the descriptor: no loop may wait in an accept that another was
        // quicker with.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        Listener.setOptions(ofAccepted: descriptor)
    }

    /// For a socket that nothing uses: who connects is told at once instead of waiting for ever.
    public func close() {
        _ = Glibc.close(descriptor)
    }

    /// One more descriptor of the same socket, which belongs to the caller.
    func duplicate() throws(SystemError) -> CInt {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("dup") }
        return copy
    }

    private static func listens(_ descriptor: CInt) -> Bool {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0
    }
}
