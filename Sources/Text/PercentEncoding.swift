/// Escapes of addresses: `%` and two hexadecimal digits (RFC 3986 2.1).
public enum PercentEncoding {
    /// Everything but ASCII letters, digits and `kept` is escaped. The default keeps the unreserved
    /// characters alone (RFC 3986 2.3).
    public static func encoded(_ text: String, keeping kept: StaticString = "-._~") -> String {
        let kept = UnsafeBufferPointer(start: kept.utf8Start, count: kept.utf8CodeUnitCount)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            if isLetter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.appendPercentEncoded(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bytes of the escapes, and whether all of them are whole; one that is not means
    /// itself.
    ///
    /// - Parameter plusIsSpace: as in forms (application/x-www-form-urlencoded).
    public static func decoded(
        _ bytes: some Collection<UInt8>, plusIsSpace: Bool = false
    ) -> (bytes: [UInt8], isWhole: Bool) {
        var (decoded, isWhole): ([UInt8], Bool) = ([], true)
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            let digits = rest.prefix(2).compactMap(Hexadecimal.value)
            if digits.count == 2 {
                decoded.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
                isWhole = false
            }
        }
        return (decoded, isWhole)
    }
}

extension [UInt8] {
    /// Appends the escape of a byte.
    public mutating func appendPercentEncoded(_ byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(Hexadecimal.uppercase(byte >> 4))
        append(Hexadecimal.uppercase(byte & 0xF))
    }
}
