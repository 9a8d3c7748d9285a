// Bytes between spans, which end with the buffer they look into, and arrays, which may be kept.

extension Span where Element == UInt8 {
    /// An array of the same bytes.
    public func copy() -> [UInt8] { withUnsafeBufferPointer { Array($0) } }

    /// The bytes of a range as text.
    public func text(_ range: ByteRange) -> String {
        extracting(range.range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether both hold the same bytes.
    public func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension [UInt8] {
    /// Appends a copy of the bytes.
    public mutating func append(_ span: Span<UInt8>) {
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
