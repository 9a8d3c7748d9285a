// The parts of a JSON text that become strings: numbers as they are spelt, and strings with their
// escapes decoded.

// MARK: Numbers

extension JSONParser {
    mutating func parseNumber(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try skipDigits(bytes)
        }
        return try text(bytes, start..<position)
    }

    /// One digit or more.
    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > start else { throw error(position == bytes.count ? .truncated : .badNumber) }
    }
}

// MARK: Strings

extension JSONParser {
    /// `position` is at the opening quotation mark; afterwards it is behind the closing one.
    mutating func parseString(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        position += 1
        let start = position
        var isEscaped = false
        while true {
            let next = try byte(bytes)
            switch next {
            case UInt8(ascii: "\""):
                position += 1
                return try isEscaped ? unescapedText(start) : text(bytes, start..<position - 1)
            case UInt8(ascii: "\\"):
                if !isEscaped {
                    isEscaped = true
                    scratch.removeAll(keepingCapacity: true)
                    for index in start..<position { scratch.append(bytes[index]) }
                }
                try parseEscape(bytes)
            case 0..<0x20: throw error(.controlCharacter)
            default:
                if isEscaped { scratch.append(next) }
                position += 1
            }
        }
    }

    /// `position` is at the reverse solidus.
    private mutating func parseEscape(_ bytes: Span<UInt8>) throws(JSONError) {
        position += 1
        switch try byte(bytes) {
        case UInt8(ascii: "\""): scratch.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): scratch.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): scratch.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            return try parseScalar(bytes)
        default: throw error(.badEscape)
        }
        position += 1
    }

    /// The hexadecimal digits of `\uXXXX`, and the second escape of a surrogate pair.
    private mutating func parseScalar(_ bytes: Span<UInt8>) throws(JSONError) {
        let first = try parseCodeUnit(bytes)
        var value = UInt32(first)
        if UTF16.isLeadSurrogate(first) {
            guard try byte(bytes) == UInt8(ascii: "\\") else { throw error(.loneSurrogate) }
            position += 1
            guard try byte(bytes) == UInt8(ascii: "u") else { throw error(.loneSurrogate) }
            position += 1
            let second = try parseCodeUnit(bytes)
            guard UTF16.isTrailSurrogate(second) else { throw error(.loneSurrogate) }
            value = 0x10000 + ((UInt32(first) & 0x3FF) << 10) + (UInt32(second) & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(value) else { throw error(.loneSurrogate) }
        scratch.append(contentsOf: scalar.utf8)
    }

    private mutating func parseCodeUnit(_ bytes: Span<UInt8>) throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimalDigit(try byte(bytes)) else { throw error(.badEscape) }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        guard let valid = try? UTF8Span(validating: bytes.extracting(range)) else {
            throw JSONError(reason: .invalidUTF8, offset: range.lowerBound)
        }
        return String(copying: valid)
    }

    private func unescapedText(_ start: Int) throws(JSONError) -> String {
        guard let valid = String(validating: scratch, as: UTF8.self) else {
            throw JSONError(reason: .invalidUTF8, offset: start)
        }
        return valid
    }
}
