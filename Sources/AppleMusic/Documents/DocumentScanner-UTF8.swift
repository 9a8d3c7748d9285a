// Whether the strings of a text are UTF-8, and where they end, eight bytes at a time.

extension DocumentScanner {
    /// Checks a string with bytes beyond ASCII; nothing but strings can hold any.
    @inline(never)
    mutating func checkUTF8(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        if isTrusted, !bytes.isUTF8(start, end) { refuse() }
    }
}

extension Span where Element == UInt8 {
    /// Whether `start..<end` is UTF-8 (RFC 3629 section 4).
    func isUTF8(_ start: Int, _ end: Int) -> Bool {
        precondition(start >= 0 && start <= end && end <= count)
        let raw = bytes
        var index = start
        while end &- index >= 8 {
            while end &- index >= 32, isASCII(at: index) { index &+= 16 }
            let word = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
            let beyond = word & 0x8080_8080_8080_8080
            // Where there is none this is the whole word.
            index &+= beyond.trailingZeroBitCount / 8
            if beyond == 0 { continue }
            // One is seldom alone.
            while end &- index >= 4, self[unchecked: index] >= 0x80 {
                let next = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
                let length = UTF8Sequence.length(UInt32(littleEndian: next))
                if length == 0 { return false }
                index &+= length
            }
        }
        while index < end {
            var word: UInt32 = 0
            for offset in 0..<min(end &- index, 4) {
                word |= UInt32(self[unchecked: index &+ offset]) &<< UInt32(offset &* 8)
            }
            let length = word & 0x80 == 0 ? 1 : UTF8Sequence.length(word)
            if length == 0 { return false }
            index &+= length
        }
        return true
    }

    /// Whether the sixteen bytes from `index` on, which must be there, are ASCII.
    @inline(__always)
    private func isASCII(at index: Int) -> Bool {
        let raw = bytes
        let first = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
        let second = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index &+ 8, as: UInt64.self)
        return (first | second) & 0x8080_8080_8080_8080 == 0
    }

    /// Offset of the first quotation mark, reverse solidus or control character from `start` on, or
    /// the count. A top bit in `highBits` is set if a byte beyond ASCII was passed, and perhaps if
    /// one follows.
    @inline(__always)
    func firstOfStringEnd(from start: Int, _ highBits: inout UInt64) -> Int {
        // One check for all the loads below, each of which ends at or before the span does.
        precondition(start >= 0 && start <= count)
        let raw = bytes
        var index = start
        while count &- index >= 16 {
            let first = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
            let second = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index &+ 8, as: UInt64.self))
            highBits |= first | second
            let (firstMarks, secondMarks) = (StringEnd.marks(first), StringEnd.marks(second))
            if firstMarks | secondMarks != 0 { return index &+ StringEnd.offset(firstMarks, secondMarks) }
            index &+= 16
        }
        while index < count, self[unchecked: index] >= 0x20, self[unchecked: index] != 0x22,
            self[unchecked: index] != 0x5C
        {
            highBits |= UInt64(self[unchecked: index])
            index &+= 1
        }
        return index
    }
}

private enum UTF8Sequence {
    /// The length of the sequence that begins with the lowest byte of `word`, which is not ASCII; 0
    /// where it is broken.
    @inline(__always)
    static func length(_ word: UInt32) -> Int {
        if word & 0x00C0_C0F0 == 0x0080_80E0 {
            // The scalar without its last six bits: no shorter form would do, and it is no
            // surrogate.
            let high = (word & 0x0F) &<< 6 | (word &>> 8) & 0x3F
            return high >= 0x20 && high & 0x3E0 != 0x360 ? 3 : 0
        }
        if word & 0xC0E0 == 0x80C0 { return word & 0x1E != 0 ? 2 : 0 }
        guard word & 0xC0C0_C0F8 == 0x8080_80F0 else { return 0 }
        let high = (word & 0x07) &<< 6 | (word &>> 8) & 0x3F
        return 0x10..<0x110 ~= high ? 4 : 0
    }
}
