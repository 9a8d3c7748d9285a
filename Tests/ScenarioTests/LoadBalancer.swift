import Foundation
import TestSupport

/// Passes connections on to a port, each after a header of the PROXY protocol. It knows nothing of
/// the bytes that go through.
struct LoadBalancer {
    private let listener: RawListener

    /// - Parameter inPieces: whether each byte of the header is a segment of its own.
    init(to target: UInt16, header: [UInt8], inPieces: Bool) throws {
        listener = try RawListener()
        listener.start { client, _ in
            guard let server = RawSocket.connected(to: target) else { return }
            defer { server.close() }
            for piece in inPieces ? header.map({ [$0] }) : [header] {
                _ = server.send(piece)
                if inPieces { usleep(500) }
            }
            while Self.pass(from: client, to: server), Self.pass(from: server, to: client) {}
        }
    }

    var port: UInt16 { listener.port }

    func stop() { listener.stop() }

    /// Passes on the bytes that have come, or that come within a moment; false at the end.
    private static func pass(from source: RawSocket, to sink: RawSocket) -> Bool {
        guard source.hasInput(within: 2) else { return true }
        guard let bytes = source.receive(), !bytes.isEmpty else { return false }
        return sink.send(bytes)
    }
}
