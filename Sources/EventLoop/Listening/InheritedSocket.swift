import Glibc
import Synchronization

/// A listening socket that the process was started with (sd_listen_fds(3)). Several loops may share
/// it, each by a descriptor of its own: several may be told of one connection, and a loop that
/// comes second finds that there is nothing to accept.
///
/// Must hold: the descriptor of a *kept* socket is never closed once something listens by it. So
/// the kernel keeps the queue of connections until the process has ended, and the process that
/// started it still has the socket. Any other socket is this process's own from then on, as if it
/// had bound it: it closes with the last listener.
public final class InheritedSocket: Sendable {
    /// The address to which it is bound.
    public let address: SocketAddress
    /// Whether another process keeps the socket for the successors of this one.
    public let isKept: Bool
    /// -1 once it is closed.
    private let descriptor: Mutex<CInt>

    /// Takes a descriptor over; nil, and the descriptor is left alone, where it does not listen for
    /// connections.
    public init?(descriptor: CInt, isKept: Bool = true) {
        guard Self.listens(descriptor), let address = Socket.localAddress(descriptor) else { return nil }
        self.descriptor = Mutex(descriptor)
        (self.address, self.isKept) = (address, isKept)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // The flag is the socket's, not the descriptor's: no loop may wait in an accept for a
        // connection that another took.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        Listener.setOptions(ofAccepted: descriptor)
    }

    /// Closes a socket that nothing uses, so that clients are refused instead of waiting for ever.
    public func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        if open >= 0 { _ = Glibc.close(open) }
    }

    /// Notes that every loop that listens by it has its descriptor.
    public func settle() {
        if !isKept { close() }
    }

    /// Whether one can still begin to listen by it.
    public var isOpen: Bool { descriptor.withLock { $0 >= 0 } }

    /// A further descriptor of the same socket.
    public func copy() throws(SystemError) -> Descriptor {
        Descriptor(owning: try duplicate())
    }

    /// A further descriptor of the same socket, which belongs to the caller.
    func duplicate() throws(SystemError) -> CInt {
        try descriptor.withLock { (number) throws(SystemError) in try Descriptor.duplicate(number) }
    }

    private static func listens(_ descriptor: CInt) -> Bool {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0
    }
}
