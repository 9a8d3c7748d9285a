import Text

// The tokens of a JSON text, found and checked, never converted: white space, numbers, literals and
// strings.

extension DocumentScanner {
    @inline(__always)
    static func skipWhitespace(_ bytes: Span<UInt8>, from start: Int) -> Int {
        guard start < bytes.count, bytes[unchecked: start] <= 0x20 else { return start }
        return skipRun(bytes, from: start)
    }

    @inline(never)
    private static func skipRun(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        let raw = bytes.bytes
        while position < bytes.count {
            switch bytes[unchecked: position] {
            case 0x20, 0x09, 0x0A, 0x0D: position &+= 1
            default: return position
            }
            // Indented texts: eight spaces at once.
            while bytes.count &- position >= 8,
                raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self) == 0x2020_2020_2020_2020
            {
                position &+= 8
            }
        }
        return position
    }

    /// The position after the number or literal at `start`.
    @inline(__always)
    static func scalar(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "t"): return try literal(0x6575_7274, bytes, at: start)
        case UInt8(ascii: "f"): return try literal(0x6573_6C61, bytes, at: start + 1)
        case UInt8(ascii: "n"): return try literal(0x6C6C_756E, bytes, at: start)
        default: return try number(bytes, at: start)
        }
    }

    /// The position after the four letters at `start`; `word` has the first one in its
    /// lowest byte.
    @inline(__always)
    private static func literal(_ word: UInt32, _ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        guard bytes.count &- start >= 4 else { throw Stop() }
        let found = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self)
        guard UInt32(littleEndian: found) == word else { throw Stop() }
        return start &+ 4
    }

    @inline(__always)
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

    /// The position after one digit or more.
    @inline(__always)
    private static func digits(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        var position = start
        while position < bytes.count, bytes[unchecked: position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        guard position > start else { throw Stop() }
        return position
    }
}

// MARK: Strings

extension DocumentScanner {
    /// The string whose opening quotation mark is at `start`; its closing one is at its end.
    @inline(__always)
    mutating func string(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> StringToken {
        var highBits: UInt64 = 0
        let position = bytes.firstOfStringEnd(from: start &+ 1, &highBits)
        guard position < bytes.count else { throw Stop() }
        if bytes[unchecked: position] == UInt8(ascii: "\"") {
            if highBits & 0x8080_8080_8080_8080 != 0 { checkUTF8(bytes, start &+ 1, position) }
            return StringToken(start &+ 1, position, isEscaped: false)
        }
        return try escapedString(bytes, start + 1, firstMark: position, highBits)
    }

    private mutating func escapedString(
        _ bytes: Span<UInt8>, _ start: Int, firstMark: Int, _ firstHighBits: UInt64
    ) throws(Stop) -> StringToken {
        var position = firstMark
        var highBits = firstHighBits
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                if highBits & 0x8080_8080_8080_8080 != 0 { checkUTF8(bytes, start, position) }
                return StringToken(start, position, isEscaped: true)
            case UInt8(ascii: "\\"): position = try escape(bytes, at: position)
            default: throw Stop()
            }
            position = bytes.firstOfStringEnd(from: position, &highBits)
        }
        throw Stop()
    }

    /// The position after the escape at `start`, or after the two of a surrogate pair.
    private mutating func escape(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        guard start + 1 < bytes.count else { throw Stop() }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            guard let unit = Self.codeUnit(bytes, at: start + 2) else { throw Stop() }
            guard 0xD800..<0xE000 ~= unit else { return start + 6 }
            if Self.lowSurrogate(bytes, after: unit, at: start + 6) != nil { return start + 12 }
            refuse()
            return start + 6
        default: throw Stop()
        }
    }

    /// The four hexadecimal digits at `start`.
    private static func codeUnit(_ bytes: Span<UInt8>, at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = Hexadecimal.value(bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The second half of the pair that begins with `first`, if an escape at `start` spells one.
    private static func lowSurrogate(_ bytes: Span<UInt8>, after first: UInt32, at start: Int) -> UInt32? {
        guard 0xD800..<0xDC00 ~= first, start + 2 <= bytes.count, bytes[start] == UInt8(ascii: "\\"),
            bytes[start + 1] == UInt8(ascii: "u"), let second = codeUnit(bytes, at: start + 2),
            0xDC00..<0xE000 ~= second
        else { return nil }
        return second
    }

    /// Appends an escaped string, decoded, as UTF-8.
    static func decode(_ text: StringToken, _ bytes: Span<UInt8>, into decoded: inout [UInt8]) {
        var position = text.start
        while position < text.end {
            guard bytes[position] == UInt8(ascii: "\\") else {
                decoded.append(bytes[position])
                position += 1
                continue
            }
            position = decodeEscape(bytes, at: position, into: &decoded)
        }
    }

    private static func decodeEscape(_ bytes: Span<UInt8>, at start: Int, into decoded: inout [UInt8]) -> Int {
        switch bytes[start + 1] {
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"): return decodeScalar(bytes, at: start, into: &decoded)
        default: decoded.append(bytes[start + 1])
        }
        return start + 2
    }

    /// Decodes one `\uXXXX`, or the two of a surrogate pair. Half a pair is no text: it becomes the
    /// replacement character.
    private static func decodeScalar(_ bytes: Span<UInt8>, at start: Int, into decoded: inout [UInt8]) -> Int {
        let first = codeUnit(bytes, at: start + 2) ?? 0
        if let second = lowSurrogate(bytes, after: first, at: start + 6) {
            append(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF), to: &decoded)
            return start + 12
        }
        append(first, to: &decoded)
        return start + 6
    }

    private static func append(_ value: UInt32, to decoded: inout [UInt8]) {
        decoded.append(contentsOf: (Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }
}
