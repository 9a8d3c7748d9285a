import Dispatch
import HTTP
import Server
import Synchronization
import Testing

/// An origin whose answers a test decides, and which remembers its requests.
final class FakeOrigin {
    struct Request: Sendable {
        let method: String
        let target: String
        /// Names in lower case.
        let fields: [(name: String, value: String)]
        let body: [UInt8]

        func field(_ name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }
    }

    struct Reply: Sendable {
        var status = 200
        var fields: [(String, String)] = [("Content-Type", "application/json")]
        var body = "{}"
        /// Goes out in place of `body`.
        var bytes: [UInt8]?
        var hangsUp = false
    }

    private final class Script: Service, Sendable {
        let answer: Mutex<@Sendable (Request) -> Reply>
        let seen = Mutex<[Request]>([])

        init(_ answer: @escaping @Sendable (Request) -> Reply) { self.answer = Mutex(answer) }

        func handle(_ connection: ClientConnection) {
            let request = connection.withHeadBytes { bytes in FakeOrigin.request(connection, bytes) }
            seen.withLock { $0.append(request) }
            let answer = answer.withLock { $0 }
            let reply = answer(request)
            if reply.hangsUp {
                connection.close()
                return
            }
            let body = reply.bytes ?? Array(reply.body.utf8)
            connection.respond(content: body) { buffer in
                buffer.appendStatusLine(reply.status)
                for (name, value) in reply.fields { buffer.append("\(name): \(value)\r\n") }
                if reply.status != 204 && reply.status != 304 {
                    buffer.append("Content-Length: \(body.count)\r\n")
                }
            }
        }
    }

    let port: Int
    private let script: Script
    private let host: ServiceHost

    init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        let script = Script(answer)
        self.script = script
        host = try ServiceHost.local { _ in script }
        port = Int(host.address.port)
    }

    /// One that answers every request alike.
    /// - Parameter gate: an answer waits for a signal of it.
    convenience init(_ reply: Reply = Reply(), after gate: DispatchSemaphore? = nil) throws {
        try self.init { _ in
            gate?.waitOrFail()
            return reply
        }
    }

    deinit { host.stop() }

    var requests: [Request] { script.seen.withLock { $0 } }

    /// From now on it answers otherwise.
    func answer(_ answer: @escaping @Sendable (Request) -> Reply) { script.answer.withLock { $0 = answer } }

    func stop() { host.stop() }

    private static func request(_ connection: ClientConnection, _ bytes: Span<UInt8>) -> Request {
        let head = connection.head
        return Request(
            method: text(bytes, head.methodText), target: text(bytes, head.target),
            fields: head.fields.map { (text(bytes, $0.name).lowercased(), text(bytes, $0.value)) },
            body: connection.body)
    }

    private static func text(_ bytes: Span<UInt8>, _ range: ByteRange) -> String {
        bytes.extracting(range.range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
