import EventLoop

/// The two ends of a client's connection, by the kernel.
public struct ConnectionPeer: Sendable {
    /// Nil for a Unix socket.
    public let address: SocketAddress?
    /// Nil for a Unix socket.
    public let localAddress: SocketAddress?
    /// User of the process at a Unix socket; nil for other connections.
    public let unixUserID: UInt32?

    /// For a connection of another process.
    init(address: SocketAddress?, localAddress: SocketAddress?, unixUserID: UInt32?) {
        (self.address, self.localAddress, self.unixUserID) = (address, localAddress, unixUserID)
    }

    init(of stream: Stream) {
        self.init(address: stream.peer, localAddress: stream.localAddress, unixUserID: stream.peerUserID)
    }
}
