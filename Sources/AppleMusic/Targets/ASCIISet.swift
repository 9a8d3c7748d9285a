import Text

// Bytes that the canonical spelling does not escape.

/// A set of ASCII characters as two words, so that a look-up is a shift and needs no table in
/// memory.
struct ASCIISet {
    /// U+0000 to U+003F, lowest first.
    let low: UInt64
    /// U+0040 to U+007F.
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// `A-Z a-z 0-9 - . _ ~` (RFC 3986 2.3).
    static var unreserved: ASCIISet { ASCIISet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// `A-Z a-z 0-9 - . _`, for identifiers and names of the catalog.
    static var identifier: ASCIISet { ASCIISet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_87FF_FFFE) }

    /// `pchar` of RFC 3986 3.3 without the percent sign, and without `;`, which is looked at on its
    /// own.
    static var path: ASCIISet { ASCIISet(low: 0x27FF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// Unreserved and `, : [ ]`: how the API's documentation and its own `next` links spell a
    /// query.
    static var query: ASCIISet { ASCIISet(low: 0x07FF_7000_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE) }

    /// The bytes that no target may hold unescaped: controls, the space, `#`, `\`, DEL, and all
    /// beyond ASCII.
    static var forbidden: ASCIISet { ASCIISet(low: 0x0000_0009_FFFF_FFFF, high: 0x8000_0000_1000_0000) }
}

/// The byte that the three bytes from `position` spell as `%XX`.
@inline(__always)
func percentDecoded(_ target: Span<UInt8>, at position: Int) throws(TargetError) -> UInt8 {
    guard position + 2 < target.count, let high = Hexadecimal.value(target[position + 1]),
        let low = Hexadecimal.value(target[position + 2])
    else { throw .malformedPercent }
    return high << 4 | low
}

extension MutableSpan<UInt8> {
    @inline(__always)
    mutating func write(_ byte: UInt8, at position: inout Int) {
        self[position] = byte
        position += 1
    }

    /// Copies the bytes from `read` on that are in the set, and says how many there were. Most
    /// bytes of a target are copied here: one check of both lengths instead of two per byte halves
    /// the time.
    @inline(__always)
    mutating func copyRun(of set: ASCIISet, from source: Span<UInt8>, at read: Int, to written: Int) -> Int {
        precondition(read >= 0 && read <= source.count && written >= 0 && written <= self.count)
        let limit = Swift.min(source.count &- read, self.count &- written)
        var count = 0
        while count < limit {
            let byte = source[unchecked: read &+ count]
            guard set.contains(byte) else { break }
            self[unchecked: written &+ count] = byte
            count &+= 1
        }
        return count
    }

    mutating func writePercentEncoded(_ byte: UInt8, at position: inout Int) {
        write(UInt8(ascii: "%"), at: &position)
        write(Hexadecimal.uppercase(byte >> 4), at: &position)
        write(Hexadecimal.uppercase(byte & 0xF), at: &position)
    }
}
