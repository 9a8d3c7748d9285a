/// A Unicode scalar read from UTF-8 (RFC 3629).
public struct UTF8Character: Equatable, Sendable {
    public let scalar: Unicode.Scalar
    /// Bytes of the scalar, one to four.
    public let byteCount: Int

    /// Reads the scalar whose first byte is at `index`; nil if the bytes are not UTF-8.
    public init?(in bytes: Span<UInt8>, at index: Int) {
        let first = bytes[index]
        let (count, least): (Int, UInt32)
        switch first {
        case 0..<0x80: (count, least) = (1, 0)
        case 0xC2...0xDF: (count, least) = (2, 0x80)
        case 0xE0...0xEF: (count, least) = (3, 0x800)
        case 0xF0...0xF4: (count, least) = (4, 0x1_0000)
        default: return nil
        }
        guard count <= bytes.count - index else { return nil }
        var value = count == 1 ? UInt32(first) : UInt32(first & (0xFF >> UInt8(count + 1)))
        for offset in 1..<max(1, count) {
            let byte = bytes[index + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        // Not a longer spelling than needed, and no surrogate.
        guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
        (self.scalar, byteCount) = (scalar, count)
    }

    /// Whether a terminal or an editor acts on it in place of showing it: control characters, line
    /// ends, and characters that change the direction of text.
    public var isControl: Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
