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
            let first = self[unchecked: index]
            if first < 0x80 {
                index &+= 1
                while end &- index >= 8 {
                    let word = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
                    guard word & 0x8080_8080_8080_8080 == 0 else { break }
                    index &+= 8
                }
                continue
            }
            let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard end &- index >= length else { return false }
            var scalar = UInt32(first) & (0x7F >> UInt32(length))
            for offset in 1..<length {
                let next = self[unchecked: index &+ offset]
                guard next & 0xC0 == 0x80 else { return false }
                scalar = scalar << 6 | UInt32(next & 0x3F)
            }
            switch length {
            case 2: guard first >= 0xC2 else { return false }
            case 3: guard scalar >= 0x800, scalar & 0xFFFF_F800 != 0xD800 else { return false }
            default: guard first <= 0xF4, 0x1_0000...0x10_FFFF ~= scalar else { return false }
            }
            index &+= length
        }
        return true
    }

    /// Offset of the first quotation mark, reverse solidus or control character from `start` on, or the count. Eight bytes
    /// at a time; `HTTP/ByteSearch` explains the arithmetic. A top bit in `highBits` is set if a byte beyond ASCII was
    /// passed, and perhaps if one follows.
    @inline(__always)
    func firstOfStringEnd(from start: Int, _ highBits: inout UInt64) -> Int {
        // One check for all the loads below, each of which ends at or before the span does.
        precondition(start >= 0 && start <= count)
        let raw = bytes
        var index = start
        while count &- index >= 8 {
            let word = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
            highBits |= word
            // What is searched has no top bit, so that one mask for all three will do.
            let marks =
                (word &- 0x2020_2020_2020_2020)
                | ((word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101)
                | ((word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101)
            let found = marks & ~word & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
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
