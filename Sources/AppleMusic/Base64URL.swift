// base64url without padding, as JWTs are written (RFC 7515 section 2).

public enum Base64URL {
    /// How many characters `count` bytes become.
    static func encodedCount(_ count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Hands the characters over one by one, so that secrets can be written straight to where they
    /// belong.
    static func encode(_ bytes: [UInt8], _ emit: (UInt8) -> Void) {
        var accumulator: UInt32 = 0
        var bits = 0
        for byte in bytes {
            accumulator = accumulator << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                emit(character(UInt8(accumulator >> UInt32(bits) & 0x3F)))
            }
            accumulator &= 0xFFFF
        }
        if bits > 0 { emit(character(UInt8(accumulator << UInt32(6 - bits) & 0x3F))) }
    }

    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(encodedCount(bytes.count))
        encode(bytes) { result.append($0) }
        return result
    }

    /// Nil for padding, foreign characters, an impossible length, or spare bits that are not zero:
    /// each sequence of bytes has one spelling.
    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 3 / 4)
        var accumulator: UInt32 = 0
        var bits = 0
        for index in text.indices {
            guard let value = value(text[index]) else { return nil }
            accumulator = (accumulator << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(accumulator >> UInt32(bits) & 0xFF))
            }
        }
        guard bits < 6, accumulator & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return result
    }

    private static func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
