// Slices of canonical text, and their order.

/// A piece of a buffer of at most ``CanonicalTarget/maxBytes`` times three bytes: a path segment, a
/// query parameter or an element of a list. `keyEnd` ends its sort key: a parameter's name, or the
/// whole of an element.
struct TextSlice: Sendable, BitwiseCopyable {
    private let start32: UInt32
    private let keyEnd32: UInt32
    private let end32: UInt32

    init(_ start: Int, keyEnd: Int, _ end: Int) {
        start32 = UInt32(start)
        keyEnd32 = UInt32(keyEnd)
        end32 = UInt32(end)
    }

    init(_ start: Int, _ end: Int) { self.init(start, keyEnd: end, end) }

    var start: Int { Int(start32) }
    var keyEnd: Int { Int(keyEnd32) }
    var end: Int { Int(end32) }
    var count: Int { end - start }
    var keyCount: Int { keyEnd - start }

    @inline(__always)
    func equals(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for offset in 0..<count where bytes[start + offset] != text.utf8Start[offset] { return false }
        return true
    }

    /// Negative, zero or positive as the key comes before, equals or comes after the other's, byte
    /// by byte.
    func compareKey(_ other: TextSlice, in bytes: Span<UInt8>) -> Int {
        for offset in 0..<min(keyCount, other.keyCount) {
            let (mine, theirs) = (bytes[start + offset], bytes[other.start + offset])
            if mine != theirs { return Int(mine) - Int(theirs) }
        }
        return keyCount - other.keyCount
    }

    /// Compares, like `compareKey`, names of parameters, of which all that begin with `ids[` count
    /// as one: the order in which a request for several types names them may be the order of the
    /// answer, as that of the ids themselves.
    func compareName(_ other: TextSlice, in bytes: Span<UInt8>) -> Int {
        isScopedIDs(in: bytes) && other.isScopedIDs(in: bytes) ? 0 : compareKey(other, in: bytes)
    }

    private func isScopedIDs(in bytes: Span<UInt8>) -> Bool {
        keyCount > 4 && TextSlice(start, start + 4).equals("ids[", in: bytes)
    }

    /// Slices of equal names keep their order.
    func precedes(_ other: TextSlice, in bytes: Span<UInt8>) -> Bool {
        let order = compareName(other, in: bytes)
        return order == 0 ? start32 < other.start32 : order < 0
    }
}
