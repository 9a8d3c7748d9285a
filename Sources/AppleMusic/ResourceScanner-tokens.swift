// The tokens of a JSON text, found and checked, never converted: strings, numbers, literals, white space.

extension ResourceScanner {
    static func skipWhitespace(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return position
            }
        }
        return position
    }

    /// The string whose opening quotation mark is at `start`, and the position behind its closing one.
    static func string(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> (text: Text, end: Int) {
        var position = start + 1
        var isEscaped = false
        while true {
            position = bytes.firstOfStringEnd(from: position)
            guard position < bytes.count else { throw Stop() }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                return (Text(range: start + 1..<position, isEscaped: isEscaped), position + 1)
            case UInt8(ascii: "\\"):
                isEscaped = true
                position = try escape(bytes, at: position)
            default: throw Stop()
            }
        }
    }

    /// The position behind the escape at `start`.
    private static func escape(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        guard start + 1 < bytes.count else { throw Stop() }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            guard codeUnit(bytes, at: start + 2) != nil else { throw Stop() }
            return start + 6
        default: throw Stop()
        }
    }

    /// The four hexadecimal digits at `start`.
    private static func codeUnit(_ bytes: Span<UInt8>, at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = hexadecimalDigit(bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Puts what an escaped string means into `scratch`, as UTF-8.
    mutating func decode(_ text: Text, _ bytes: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        var position = text.range.lowerBound
        while position < text.range.upperBound {
            guard bytes[position] == UInt8(ascii: "\\") else {
                scratch.append(bytes[position])
                position += 1
                continue
            }
            position = decodeEscape(bytes, at: position)
        }
    }

    private mutating func decodeEscape(_ bytes: Span<UInt8>, at start: Int) -> Int {
        switch bytes[start + 1] {
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): return decodeScalar(bytes, at: start)
        default: scratch.append(bytes[start + 1])
        }
        return start + 2
    }

    /// One `\uXXXX`, or the two of a surrogate pair. Half a pair is no text: it becomes the replacement character.
    private mutating func decodeScalar(_ bytes: Span<UInt8>, at start: Int) -> Int {
        let first = Self.codeUnit(bytes, at: start + 2) ?? 0
        if 0xD800..<0xDC00 ~= first, start + 8 <= bytes.count, bytes[start + 6] == UInt8(ascii: "\\"),
            bytes[start + 7] == UInt8(ascii: "u"), let second = Self.codeUnit(bytes, at: start + 8),
            0xDC00..<0xE000 ~= second
        {
            append(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
            return start + 12
        }
        append(first)
        return start + 6
    }

    private mutating func append(_ value: UInt32) {
        scratch.append(contentsOf: (Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }

    /// The position behind the number or literal at `start`.
    static func scalar(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "t"): return try literal("true", bytes, at: start)
        case UInt8(ascii: "f"): return try literal("false", bytes, at: start)
        case UInt8(ascii: "n"): return try literal("null", bytes, at: start)
        default: return try number(bytes, at: start)
        }
    }

    private static func literal(_ word: StaticString, _ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        let end = start + word.utf8CodeUnitCount
        guard end <= bytes.count else { throw Stop() }
        for index in start..<end where bytes[index] != word.utf8Start[index - start] { throw Stop() }
        return end
    }

    private static func number(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        var position = start
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            position = try digits(bytes, at: position)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position = try digits(bytes, at: position + 1)
        }
        guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return position }
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
            position += 1
        }
        return try digits(bytes, at: position)
    }

    /// The position behind one digit or more.
    private static func digits(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        var position = start
        while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
        guard position > start else { throw Stop() }
        return position
    }
}

extension Span where Element == UInt8 {
    /// Offset of the first quotation mark, reverse solidus or control character from `start` on, or the count. Eight bytes
    /// at a time; `HTTP/ByteSearch` explains the arithmetic.
    fileprivate func firstOfStringEnd(from start: Int) -> Int {
        func all(_ byte: UInt64) -> UInt64 { 0x0101_0101_0101_0101 &* byte }
        func below(_ byte: UInt64, _ word: UInt64) -> UInt64 { (word &- all(byte)) & ~word }
        // One check for all the loads below, each of which ends at or before the span does.
        precondition(start >= 0 && start <= count)
        let raw = bytes
        var index = start
        while count &- index >= 8 {
            let word = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
            let marks = below(0x20, word) | below(1, word ^ all(0x22)) | below(1, word ^ all(0x5C))
            let found = marks & all(0x80)
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count, self[index] >= 0x20, self[index] != 0x22, self[index] != 0x5C { index += 1 }
        return index
    }
}
