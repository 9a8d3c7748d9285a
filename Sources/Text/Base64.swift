/// base64 (RFC 4648), in both alphabets.
public enum Base64: Sendable {
    /// With `+` and `/`, padded (section 4), as HAR files and content security policies have it.
    case standard
    /// With `-` and `_`, without padding (section 5), as JWTs have it (RFC 7515 section 2).
    case url

    private static let padding = UInt8(ascii: "=")

    /// How many characters `count` bytes become.
    public func encodedCount(_ count: Int) -> Int {
        self == .standard ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
    }

    /// Hands the characters over one by one, so that secrets can be written straight to where they
    /// belong.
    public func encode(_ bytes: [UInt8], _ emit: (UInt8) -> Void) {
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
        guard self == .standard else { return }
        for _ in 0..<(3 - bytes.count % 3) % 3 { emit(Self.padding) }
    }

    public func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(encodedCount(bytes.count))
        encode(bytes) { result.append($0) }
        return result
    }

    /// Nil for foreign characters and an impossible length.
    ///
    /// Decodes a text. In `url` each sequence of bytes has one spelling: padding and spare bits
    /// that are not zero are refused too. In `standard` white space is passed over, and padding may
    /// be missing: both are met in HAR files.
    public func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 3 / 4)
        var (accumulator, bits, isPadded): (UInt32, Int, Bool) = (0, 0, false)
        for index in text.indices {
            if self == .standard, text[index] <= 0x20 { continue }
            if self == .standard, text[index] == Self.padding {
                isPadded = true
                continue
            }
            guard !isPadded, let value = value(text[index]) else { return nil }
            accumulator = (accumulator << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(accumulator >> UInt32(bits) & 0xFF))
            }
        }
        guard bits < 6, self == .standard || accumulator & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return result
    }

    private func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: self == .url ? UInt8(ascii: "-") : UInt8(ascii: "+")
        default: self == .url ? UInt8(ascii: "_") : UInt8(ascii: "/")
        }
    }

    private func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case self.character(62): 62
        case self.character(63): 63
        default: nil
        }
    }
}
