import Foundation
import Synchronization

/// A port of the loopback where each connection has a plain blocking thread of its own.
public final class RawListener: Sendable {
    public let port: UInt16
    private let socket: RawSocket
    private let accepted = Atomic(0)
    private let ended = Atomic(0)

    /// Listens on a port, 0 for a free one, of 127.0.0.`host`.
    public init(on host: UInt8 = 1, port: UInt16 = 0) throws {
        (socket, self.port) = try RawSocket.listening(on: host, port: port)
    }

    /// Begins to accept.
    /// - Parameter serve: has each connection with its number, from 0, which is closed when it
    ///   returns.
    public func start(_ serve: @escaping @Sendable (RawSocket, Int) -> Void) {
        Thread.detachNewThread { [self] in
            while let client = socket.accept() {
                let number = accepted.add(1, ordering: .relaxed).oldValue
                Thread.detachNewThread { [self] in
                    serve(client, number)
                    client.close()
                    ended.add(1, ordering: .releasing)
                }
            }
            socket.close()
        }
    }

    /// Ends the listener; connections go on. Without this call the thread and the port live as long
    /// as the process.
    public func stop() { socket.end() }

    public var connectionCount: Int { accepted.load(ordering: .relaxed) }
    /// Connections that were served to their end.
    public var endedConnections: Int { ended.load(ordering: .acquiring) }
}
