/// How the end of a message's content is found (RFC 9112 6.3).
public enum BodyFraming: Sendable, Equatable {
    /// There is no content and no field that frames one.
    case none
    /// This many bytes, which may be 0.
    case length(Int)
    case chunked
    /// The content lasts until the peer closes; responses only.
    case untilClose
}

extension RequestHead {
    /// How the content of this request ends. `bytes` are those the head was parsed from. Throws
    /// when the fields leave a choice, when a declared length is over the limit, and for content in
    /// a TRACE, which must have none (RFC 9110 9.3.8).
    public func framing(_ bytes: Span<UInt8>, limits: MessageLimits) throws(ParseError) -> BodyFraming {
        var framing = BodyFraming.none
        if fields.contains(.transferEncoding) {
            try FramingFields.checkChunked(bytes, fields, version)
            framing = .chunked
        } else if fields.contains(.contentLength) {
            let length = try FramingFields.contentLength(bytes, fields)
            guard let length, length <= limits.maxBodyBytes else { throw .contentTooLarge }
            framing = .length(length)
        }
        guard method != .trace || framing == .none || framing == .length(0) else { throw .traceContent }
        return framing
    }
}

extension ResponseHead {
    /// How the content of this response ends, given the method it answers. `bytes` are those the
    /// head was parsed from.
    public func framing(_ bytes: Span<UInt8>, answering method: Method) throws(ParseError) -> BodyFraming {
        if method == .head || status < 200 || status == 204 || status == 304 { return .none }
        if fields.contains(.transferEncoding) {
            try FramingFields.checkChunked(bytes, fields, version)
            return .chunked
        }
        guard fields.contains(.contentLength) else { return .untilClose }
        guard let length = try FramingFields.contentLength(bytes, fields) else { throw .contentLength }
        return .length(length)
    }
}

/// The two fields that frame a message, for both sides.
private enum FramingFields {
    /// Exactly `chunked`, once, in HTTP/1.1, without Content-Length as well. One unknown coding
    /// is told from a list, because RFC 9112 6.1 asks for 501 then.
    static func checkChunked(
        _ bytes: Span<UInt8>, _ fields: Fields, _ version: Version
    ) throws(ParseError) {
        guard !fields.contains(.contentLength) else { throw .conflictingFraming }
        guard version == .http11, fields.count(.transferEncoding) == 1, let field = fields.first(.transferEncoding)
        else { throw .transferEncoding }
        let value = field.value.range
        guard !bytes.equalsIgnoringCase(value, "chunked") else { return }
        for index in value where !ASCII.isToken(bytes[index]) { throw .transferEncoding }
        throw value.isEmpty ? .transferEncoding : .transferCoding
    }

    /// `1*DIGIT` in one line; nil when the number does not fit an Int.
    static func contentLength(_ bytes: Span<UInt8>, _ fields: Fields) throws(ParseError) -> Int? {
        guard fields.count(.contentLength) == 1, let field = fields.first(.contentLength), !field.value.isEmpty
        else { throw .contentLength }
        for index in field.value.range where !ASCII.isDigit(bytes[index]) { throw .contentLength }
        return Decimal.parse(bytes, field.value.range)
    }
}
