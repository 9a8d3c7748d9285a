/// Text on its way into HTML, SVG and addresses.
public enum Markup {
    /// As content, and as the value of an attribute in quotation marks of either kind. By scalars: a
    /// character of several may hold a bracket.
    public static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// As a part of an address: everything but ASCII letters, digits and `kept` percent-encoded (RFC
    /// 3986 2.1). The default keeps the unreserved characters alone (RFC 3986 2.3).
    public static func percentEncoded(_ text: String, keeping kept: StaticString = "-._~") -> String {
        let kept = UnsafeBufferPointer(start: kept.utf8Start, count: kept.utf8CodeUnitCount)
        return text.utf8.reduce(into: "") { encoded, byte in
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            if isLetter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || kept.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = [UInt8(ascii: "%"), Hexadecimal.uppercase(byte >> 4), Hexadecimal.uppercase(byte & 0xF)]
                encoded += String(decoding: digits, as: UTF8.self)
            }
        }
    }
}
