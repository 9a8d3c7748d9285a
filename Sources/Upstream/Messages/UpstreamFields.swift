import HTTP

/// The end-to-end fields of an answer, in the order of the origin, as lines that can go on the wire
/// as they are.
///
/// Hop-by-hop fields, those that `Connection` names, and the framing are gone (RFC 9110, 7.6.1):
/// the sender of these fields writes its own `Content-Length` or `Transfer-Encoding`.
public struct UpstreamFields: Sendable, Equatable {
    /// One field: offsets into `bytes`.
    public struct Line: Sendable, Equatable {
        /// `other` for names that nothing acts on.
        public let id: FieldName
        /// As the origin wrote it.
        public let name: Range<Int>
        /// Without surrounding white space.
        public let value: Range<Int>
        /// The whole line with its CRLF.
        public var line: Range<Int> { name.lowerBound..<value.upperBound + 2 }
    }

    /// All lines, each `Name: value` and CRLF, without the empty line that ends a head.
    public private(set) var bytes: [UInt8] = []
    /// Where each field lies, in the order of the origin.
    public private(set) var lines: [Line] = []

    init() {}

    /// Takes a field over from a received head.
    mutating func append(_ id: FieldName, name: Span<UInt8>, value: Span<UInt8>) {
        let nameStart = bytes.count
        bytes.append(name)
        let nameEnd = bytes.count
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        let valueStart = bytes.count
        bytes.append(value)
        lines.append(Line(id: id, name: nameStart..<nameEnd, value: valueStart..<bytes.count))
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func reserve(bytes byteCount: Int, lines lineCount: Int) {
        bytes.reserveCapacity(byteCount)
        lines.reserveCapacity(lineCount)
    }
}

extension UpstreamFields {
    /// The value of the first field of this name. Not for `FieldName.other`, which is many names.
    public func first(_ id: FieldName) -> ArraySlice<UInt8>? {
        lines.first { $0.id == id }.map { bytes[$0.value] }
    }

    /// Whether there is a field of this name. Not for `FieldName.other`.
    public func contains(_ id: FieldName) -> Bool {
        lines.contains { $0.id == id }
    }
}
