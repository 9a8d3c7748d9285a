import HTTP

/// A request head parsed whole, with its bytes, for tests that look at fields.
struct ParsedRequest {
    let head: RequestHead
    let bytes: [UInt8]

    init(_ text: String, limits: MessageLimits = .request) throws(ParseError) {
        try self.init([UInt8](text.utf8), limits: limits)
    }

    init(_ bytes: [UInt8], limits: MessageLimits = .request) throws(ParseError) {
        self.bytes = bytes
        var parser = HeadParser(limits: limits)
        let head = RequestHead()
        guard try parser.parse(bytes.span, into: head) else { throw .truncated }
        self.head = head
    }

    subscript(_ range: ByteRange) -> String {
        String(decoding: bytes[range.range], as: UTF8.self)
    }

    func value(_ id: FieldName) -> String? {
        head.fields.first(id).map { self[$0.value] }
    }

    func framing(_ limits: MessageLimits = .request) throws(ParseError) -> BodyFraming {
        try head.framing(bytes.span, limits: limits)
    }
}

/// A response head parsed whole, with its bytes.
struct ParsedResponse {
    let head: ResponseHead
    let bytes: [UInt8]

    init(_ text: String) throws(ParseError) {
        let bytes = [UInt8](text.utf8)
        var parser = HeadParser(limits: .response)
        var head = ResponseHead()
        guard try parser.parse(bytes.span, into: &head) else { throw .truncated }
        self.head = head
        self.bytes = bytes
    }

    func framing(answering method: HTTP.Method = .get) throws(ParseError) -> BodyFraming {
        try head.framing(bytes.span, answering: method)
    }
}

/// The error that `body` throws, nil when it does not.
func parseError(_ body: () throws(ParseError) -> Void) -> ParseError? {
    do throws(ParseError) {
        try body()
        return nil
    } catch {
        return error
    }
}

/// Why a request with this head is refused, by parsing or by its framing; nil when it is not.
func refusal(_ text: String) -> ParseError? {
    parseError { () throws(ParseError) in _ = try ParsedRequest(text).framing() }
}
