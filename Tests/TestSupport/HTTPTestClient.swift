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

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let port: Int
    private var descriptor: Int32 = -1
    private var buffer: [UInt8] = []

    public init(port: Int) {
        self.port = port
    }

    deinit {
        close()
    }

    public func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
        buffer = []
    }

    /// Sends a request and waits for its answer, at most 20 s. A connection that the server closed
    /// is opened anew.
    public func send(
        _ method: String = "GET", _ target: String, fields: [(String, String)] = [], body: Data? = nil
    ) throws -> Reply {
        if descriptor < 0 { try connect() }
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        try write(Array((text + "\r\n").utf8) + (body.map { Array($0) } ?? []))
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

    private func connect() throws {
        // A server that a test starts meanwhile must not hold the connection open.
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close()
            throw Failure(description: "cannot connect to port \(port): errno \(errno)")
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress! + offset, bytes.count - offset, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "write failed: errno \(errno)") }
            offset += count
        }
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 { throw Failure(description: "no answer: errno \(errno)") }
        buffer.append(contentsOf: chunk[..<count])
        return count > 0
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
    /// The values of all fields with this name, whatever its case, as one list (RFC 9110 5.3); nil
    /// without any.
    public func list(_ name: String) -> String? {
        let values = filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
