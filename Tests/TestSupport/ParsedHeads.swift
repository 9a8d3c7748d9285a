import HTTP

/// A request head parsed whole, with its bytes, for tests that look at fields.
public struct ParsedRequest {
    public let head: RequestHead
    public let bytes: [UInt8]

    public init(_ text: String) throws(ParseError) { try self.init([UInt8](text.utf8)) }

    public init(_ bytes: [UInt8]) throws(ParseError) {
        (head, self.bytes) = (RequestHead(), bytes)
        var parser = HeadParser(limits: .request)
        guard try parser.parse(bytes.span, into: head) else { throw .truncated }
    }

    /// A request for `/a` with these field lines, which may have bytes outside of ASCII.
    public init(fields: [[UInt8]], method: String = "GET") throws(ParseError) {
        let lines = [[UInt8]("\(method) /a HTTP/1.1".utf8), [UInt8]("Host: a".utf8)] + fields + [[], []]
        try self.init([UInt8](lines.joined(separator: [UInt8]("\r\n".utf8))))
    }

    public init(fields: String..., method: String = "GET") throws(ParseError) {
        try self.init(fields: fields.map { [UInt8]($0.utf8) }, method: method)
    }

    public subscript(_ range: ByteRange) -> String { String(decoding: bytes[range.range], as: UTF8.self) }

    public func value(_ id: FieldName) -> String? { head.fields.first(id).map { self[$0.value] } }

    public func framing() throws(ParseError) -> BodyFraming { try head.framing(bytes.span, limits: .request) }
}

/// A response head parsed whole, with its bytes.
public struct ParsedResponse {
    public let head: ResponseHead
    public let bytes: [UInt8]

    public init(_ text: String) throws(ParseError) {
        let bytes = [UInt8](text.utf8)
        var parser = HeadParser(limits: .response)
        var head = ResponseHead()
        guard try parser.parse(bytes.span, into: &head) else { throw .truncated }
        self.head = head
        self.bytes = bytes
    }

    public func framing(answering method: HTTP.Method = .get) throws(ParseError) -> BodyFraming {
        try head.framing(bytes.span, answering: method)
    }
}

extension FieldName {
    /// As it is sent, in lower case: `if-none-match` for `ifNoneMatch`.
    public var spelling: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}

extension HTTPDate {
    /// As a field value has it.
    public static func text(_ seconds: Int64) -> String {
        var buffer = ByteBuffer(capacity: 40)
        append(seconds, to: &buffer)
        return String(decoding: buffer.copyReadable(), as: UTF8.self)
    }
}
