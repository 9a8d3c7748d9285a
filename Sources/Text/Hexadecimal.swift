/// Hexadecimal digits.
public enum Hexadecimal {
    /// Value of a digit of either case; nil for any other byte.
    @inlinable
    @inline(__always)
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The digit of a number below 16, with `a` to `f`.
    @inlinable
    @inline(__always)
    public static func lowercase(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }

    /// The digit of a number below 16, with `A` to `F`.
    @inlinable
    @inline(__always)
    public static func uppercase(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
    }

    /// Two digits for each byte, in lower case.
    public static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [lowercase($0 >> 4), lowercase($0 & 0xF)] }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends the lowest digits of a number, in lower case.
    @inlinable
    public mutating func appendHexadecimal(_ value: UInt64, digits: Int = 16) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits) { text in
            var rest = value
            var place = digits
            while place > 0 {
                place &-= 1
                text[place] = Hexadecimal.lowercase(UInt8(truncatingIfNeeded: rest) & 0xF)
                rest &>>= 4
            }
            append(contentsOf: text)
        }
    }
}
