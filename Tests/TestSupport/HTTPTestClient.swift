import Foundation

/// A plain blocking HTTP/1.1 client over one keep-alive connection, written apart from the
/// project's own grammar so that it can judge it.
public final class HTTPTestClient {
    public struct Reply: Sendable {
        public let status: Int
        /// In the order received, names as sent.
        public let fields: [(name: String, value: String)]
        public let body: Data
        /// The interim (1xx) responses before it.
        public fileprivate(set) var interim: [Reply] = []

        public init(status: Int, fields: [(name: String, value: String)], body: Data) {
            self.status = status
            self.fields = fields
            self.body = body
        }

        /// The value of the first field with this name, whatever its case.
        public func field(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The body as JSON values, for comparing; nil when it is not JSON.
        public var json: NSObject? {
            try? JSONSerialization.jsonObject(with: body, options: [.fragmentsAllowed]) as? NSObject
        }
    }

    public struct Failure: Error, CustomStringConvertible { public let description: String }

    private let port: Int
    private let host: UInt8
    private let reopens: Bool
    private var connection: RawClient?
    private var buffer: [UInt8] = []
    /// Whether the last request has a byte of its answer.
    private var hasAnswerBegun = false

    /// - Parameters:
    ///   - host: the last number of the address of the loopback that it connects from.
    ///   - reopens: whether a request goes out once more, on a new connection, where the server has
    ///     ended the kept one without a byte of an answer, as it does with one that was idle for
    ///     long. Not for tests that look at which requests fail.
    public init(port: Int, from host: UInt8 = 1, reopens: Bool = false) {
        (self.port, self.host, self.reopens) = (port, host, reopens)
    }

    public func close() { (connection, buffer) = (nil, []) }

    /// Sends a request and waits for its answer, as long as something of it comes within a minute.
    /// A connection that an answer said to be closed is opened anew. Nothing is sent once the test
    /// has passed its time limit.
    public func send(
        _ method: String = "GET", _ target: String, fields: [(String, String)] = [], body: Data? = nil
    ) throws -> Reply {
        guard !TimeLimit.hasPassed else { throw Failure(description: "the test's time limit has passed") }
        let isKept = connection != nil
        do {
            return try exchange(method, target, fields, body)
        } catch {
            let hasEnded = error is RawClient.Failure || connection?.sawEnd == true || connection?.wasReset == true
            guard reopens, isKept, hasEnded, !hasAnswerBegun else { throw error }
            close()
            return try exchange(method, target, fields, body)
        }
    }

    private func exchange(
        _ method: String, _ target: String, _ fields: [(String, String)], _ body: Data?
    ) throws -> Reply {
        hasAnswerBegun = false
        let connection = try connection ?? RawClient(port: UInt16(port), from: host)
        self.connection = connection
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        try connection.send(Array((text + "\r\n").utf8) + (body.map { Array($0) } ?? []))
        var reply = try readReply(isHead: method == "HEAD")
        var interim: [Reply] = []
        while reply.status < 200 {
            interim.append(reply)
            reply = try readReply(isHead: method == "HEAD")
        }
        reply.interim = interim
        if reply.field("Connection")?.lowercased() == "close" { close() }
        return reply
    }

    private func fill() throws -> Bool {
        let chunk = connection?.readSome(patience: .seconds(Patience.seconds(60))) ?? []
        guard !chunk.isEmpty || connection?.sawEnd == true else { throw Failure(description: "no answer") }
        buffer += chunk
        if !chunk.isEmpty { hasAnswerBegun = true }
        return !chunk.isEmpty
    }

    private func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 10), end > 0, buffer[end - 1] == 13 {
                let text = String(decoding: buffer[..<(end - 1)], as: UTF8.self)
                buffer.removeFirst(end + 1)
                return text
            }
            guard try fill() else { throw Failure(description: "closed in a head: \(buffer.count) bytes") }
        }
    }

    private func take(_ count: Int) throws -> Data {
        while buffer.count < count {
            guard try fill() else { throw Failure(description: "closed in a body") }
        }
        defer { buffer.removeFirst(count) }
        return Data(buffer[..<count])
    }

    private func readReply(isHead: Bool) throws -> Reply {
        let words = try line().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Failure(description: "not a status line: \(words)")
        }
        var fields: [(name: String, value: String)] = []
        while true {
            let text = try line()
            if text.isEmpty { break }
            guard let colon = text.firstIndex(of: ":") else { throw Failure(description: "not a field: \(text)") }
            let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields.append((String(text[..<colon]), value))
        }
        let head = Reply(status: status, fields: fields, body: Data())
        if isHead || status < 200 || status == 204 || status == 304 { return head }
        return Reply(status: status, fields: fields, body: try readBody(head))
    }

    private func readBody(_ head: Reply) throws -> Data {
        if head.field("Transfer-Encoding")?.lowercased() == "chunked" {
            var body = Data()
            while true {
                guard let size = Int(try line(), radix: 16) else { throw Failure(description: "bad chunk size") }
                body += try take(size)
                guard try line().isEmpty else { throw Failure(description: "no line end behind a chunk") }
                if size == 0 { return body }
            }
        }
        if let length = head.field("Content-Length") { return try take(Int(length) ?? 0) }
        while try fill() {}
        defer { close() }
        return Data(buffer)
    }
}

extension Sequence where Element == (name: String, value: String) {
    /// The values of all fields of this name as one list (RFC 9110 5.3); nil without any.
    public func list(_ name: String) -> String? {
        let values = filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
