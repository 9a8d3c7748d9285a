import EventLoop

/// What the kernel says of the two ends of a client's connection.
public struct ConnectionPeer: Sendable {
    /// Nil for a Unix socket.
    public let address: SocketAddress?
    /// Nil for a Unix socket.
    public let localAddress: SocketAddress?
    /// Who connected to a Unix socket; nil for others.
    public let unixUserID: UInt32?

    /// For what is no connection of this process's own.
    init(address: SocketAddress?, localAddress: SocketAddress?, unixUserID: UInt32?) {
        self.address = address
        self.localAddress = localAddress
        self.unixUserID = unixUserID
    }

    init(of stream: Stream) {
        self.init(address: stream.peer, localAddress: stream.localAddress, unixUserID: stream.peerUserID)
    }
}
