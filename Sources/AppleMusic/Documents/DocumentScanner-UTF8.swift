// Whether the strings of a text are UTF-8, and where they end, eight bytes at a time.

extension DocumentScanner {
    /// Only strings can hold bytes beyond ASCII, and only those that do come here.
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
        while index < end {
            if end &- index >= 8 {
                let word = UInt64(
                    littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
                let beyond = word & 0x8080_8080_8080_8080
                index &+= beyond.trailingZeroBitCount / 8
                if beyond == 0 { continue }
            } else if self[unchecked: index] < 0x80 {
                index &+= 1
                continue
            }
            let length = sequenceLength(at: index, end)
            if length == 0 { return false }
            index &+= length
        }
        return true
    }

    /// Of the UTF-8 sequence at `index`, whose first byte is none of ASCII; 0 where it is broken. `end` is within the span.
    @inline(__always)
    private func sequenceLength(at index: Int, _ end: Int) -> Int {
        let first = self[unchecked: index]
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard end &- index >= length else { return 0 }
        var scalar = UInt32(first) & (0x7F &>> UInt32(length))
        for offset in 1..<length {
            let next = self[unchecked: index &+ offset]
            guard next & 0xC0 == 0x80 else { return 0 }
            scalar = scalar &<< 6 | UInt32(next & 0x3F)
        }
        let isValid =
            switch length {
            case 2: first >= 0xC2
            case 3: scalar >= 0x800 && scalar & 0xFFFF_F800 != 0xD800
            default: first <= 0xF4 && 0x1_0000...0x10_FFFF ~= scalar
            }
        return isValid ? length : 0
    }

    /// Offset of the first quotation mark, reverse solidus or control character from `start` on, or the count. A top bit in
    /// `highBits` is set if a byte beyond ASCII was passed, and perhaps if one follows.
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

/// Where a string ends or is escaped, found in a word of eight bytes: `HTTP/ByteSearch` explains the arithmetic. Only the
/// lowest mark counts.
enum StringEnd {
    /// The top bit of each byte that is a quotation mark, a reverse solidus or a control character.
    @inline(__always)
    static func marks(_ word: UInt64) -> UInt64 {
        // What is searched has no top bit, so that one mask for all three will do.
        let found =
            (word &- 0x2020_2020_2020_2020)
            | ((word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101)
            | ((word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101)
        return found & ~word & 0x8080_8080_8080_8080
    }

    /// All bits of the bytes before the first mark.
    @inline(__always)
    static func before(_ marks: UInt64) -> UInt64 {
        ((marks & (0 &- marks)) &>> 7) &- 1
    }

    /// The offset of the first mark in two words; 16 without one.
    @inline(__always)
    static func offset(_ first: UInt64, _ second: UInt64) -> Int {
        first != 0 ? first.trailingZeroBitCount / 8 : 8 &+ second.trailingZeroBitCount / 8
    }
}
