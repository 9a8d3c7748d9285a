extension Span<UInt8> {
    /// How many bytes a byte order mark takes at the beginning of a UTF-8 text: 3 or 0. A parser
    /// may ignore it (RFC 8259 8.1).
    public var byteOrderMarkCount: Int {
        count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF ? 3 : 0
    }
}

extension JSON {
    /// The value of an answer's content, which may begin with a byte order mark.
    public static func parse(content: Span<UInt8>) throws(JSONError) -> JSON {
        try parse(content.extracting(content.byteOrderMarkCount...))
    }
}
