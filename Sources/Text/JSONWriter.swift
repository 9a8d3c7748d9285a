// Writing JSON: compact, UTF-8, with the escapes of RFC 8259 section 7 alone.

extension JSON {
    /// Appends the value without any white space. Numbers are written as they were spelt; scalars
    /// above U+001F other than `"` and `\` are written as themselves. Recurses as deeply as the
    /// value is nested.
    public func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let lexeme): bytes.append(contentsOf: lexeme.utf8)
        case .string(let value): JSON.write(string: value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSON.write(string: member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// The value as compact UTF-8.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Appends a string with its quotation marks.
    public static func write(string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        write(content: string, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the content between a string's quotation marks. Through pointers: byte by byte from
    /// a `utf8` view it costs ten times as much without optimisation.
    static func write(content: String, to bytes: inout [UInt8]) {
        var content = content
        content.withUTF8 { utf8 in
            guard utf8.contains(where: needsEscape) else { return bytes.append(contentsOf: utf8) }
            for byte in utf8 { write(byte, to: &bytes) }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func write(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0..<0x20:
            bytes.append(contentsOf: #"\u00"#.utf8)
            bytes.appendHexadecimal(UInt64(byte), digits: 2)
        default: bytes.append(byte)
        }
    }
}

extension JSON: CustomStringConvertible {
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
