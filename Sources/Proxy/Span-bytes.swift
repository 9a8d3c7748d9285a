// Bytes between spans, which end with the buffer they look into, and arrays, which may be kept.

extension Span where Element == UInt8 {
    func copy() -> [UInt8] {
        withUnsafeBufferPointer { Array($0) }
    }

    func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension [UInt8] {
    mutating func append(_ span: Span<UInt8>) {
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
