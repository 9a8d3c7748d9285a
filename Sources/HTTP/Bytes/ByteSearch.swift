/// Searching eight bytes at a time. In a word, subtracting `n` from each byte borrows into the top
/// bit of those below `n` (if their own top bit was clear), so `(word - n) & ~word` marks them;
/// bytes equal to one are those below 1 after an exclusive or. A mark above a true one may be
/// false, because borrows travel upwards: only the lowest mark counts, and that one is exact.
extension Span where Element == UInt8 {
    /// Offset of the first control character other than HTAB in `range`, or its end.
    func firstControl(_ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while true {
            index = first(
                index..<range.upperBound, byte: { ($0 < 0x20 && $0 != ASCII.tab) || $0 == 0x7F },
                marks: { Word.below(0x20, $0) | Word.equal(0x7F, $0) })
            // The words mark tabs too.
            guard index < range.upperBound, self[index] == ASCII.tab else { return index }
            index += 1
        }
    }

    /// Offset of the first `byte` in `range`, or its end.
    @inline(__always)
    func first(_ byte: UInt8, in range: Range<Int>) -> Int {
        first(range, byte: { $0 == byte }, marks: { Word.equal(byte, $0) })
    }

    /// Offset of the first byte in `range` that `ASCII.isTarget` refuses, or its end. `range` holds
    /// no DEL.
    @inline(__always)
    func firstOutsideTarget(_ range: Range<Int>) -> Int {
        first(
            range, byte: { !ASCII.isTarget($0) },
            marks: { word in
                Word.below(0x21, word) | word
                    | Word.equal(0x22, word & Word.all(0xFE))  // " and #
                    | Word.equal(0x3C, word & Word.all(0xFD))  // < and >
                    | Word.equal(UInt8(ascii: "%"), word) | Word.equal(UInt8(ascii: "\\"), word)
            })
    }

    /// Offset of the first byte that is marked in its word, or, in the last few bytes of `range`,
    /// that `isFound`.
    @inline(__always)
    private func first(
        _ range: Range<Int>, byte isFound: (UInt8) -> Bool, marks: (UInt64) -> UInt64
    ) -> Int {
        // One check for all the loads below, each of which ends at or before the range does.
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        let raw = bytes
        var index = range.lowerBound
        while range.upperBound &- index >= 8 {
            let word = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
            let found = marks(word) & Word.all(0x80)
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < range.upperBound, !isFound(self[index]) { index += 1 }
        return index
    }
}

/// Eight bytes compared at once; the answer is in the top bit of each.
private enum Word {
    @inline(__always)
    static func all(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    @inline(__always)
    static func below(_ byte: UInt8, _ word: UInt64) -> UInt64 { (word &- all(byte)) & ~word }

    @inline(__always)
    static func equal(_ byte: UInt8, _ word: UInt64) -> UInt64 { below(1, word ^ all(byte)) }
}
