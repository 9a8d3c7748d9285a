import HTTP
import Server
import Synchronization

/// The answer of the health path (`health`), for load balancers that cannot ask the admin listener.
///
/// Its requests are the balancer's and no app's: they need no key, and neither log nor counters
/// know them, as with preflights.
public final class HealthAnswer: Sendable {
    private let source = Mutex(Source())

    /// A `Mutex` of the closure itself would wrap it once more at each look.
    private struct Source {
        var state: @Sendable () -> (isReady: Bool, words: String) = { (true, "ready") }
    }

    /// - Parameter state: whether clients may be sent to this process, and why not; asked for each
    ///   request.
    public func use(_ state: @escaping @Sendable () -> (isReady: Bool, words: String)) {
        source.withLock { $0.state = state }
    }

    /// Answers a request for that path; false where it is for another one.
    func answer(_ connection: ClientConnection, at path: [UInt8]) -> Bool {
        guard connection.withHeadBytes({ Self.isWanted(connection.head, $0, at: path) }) else { return false }
        send(to: connection)
        return true
    }

    /// Whether the request is for that path, whatever its query. OPTIONS is the default of some
    /// load balancers (HAProxy's `option httpchk`).
    private static func isWanted(_ head: RequestHead, _ bytes: Span<UInt8>, at path: [UInt8]) -> Bool {
        guard [.get, .head, .options].contains(head.method) else { return false }
        let target = bytes.extracting(head.target.range)
        guard target.count == path.count || target.count > path.count && target[path.count] == UInt8(ascii: "?") else {
            return false
        }
        return path.indices.allSatisfy { target[$0] == path[$0] }
    }

    private func send(to connection: ClientConnection) {
        let (isReady, words) = source.withLock { $0.state }()
        let content = Array((words + "\n").utf8)
        connection.respond(content: content) { buffer in
            buffer.appendStatusLine(isReady ? 200 : 503)
            buffer.append("Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: ")
            buffer.append(decimal: content.count)
            buffer.append("\r\n")
        }
    }
}
