import Cache

/// The SHA-256 of a body: under which it lies beside the recording, and by which two answers are
/// told apart.
public struct BodyHash: Sendable, Hashable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// nil where libcrypto refuses, which it does only out of memory.
    public init?(of content: [UInt8]) {
        guard let digest = content.withUnsafeBytes({ Digest.sha256($0) }) else { return nil }
        bytes = digest
    }

    /// Reads 64 hexadecimal digits in lower case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8.map(Self.nibble)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits.
    public var description: String {
        String(decoding: bytes.flatMap { [Self.digit($0 >> 4), Self.digit($0 & 15)] }, as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? nibble + 0x30 : nibble - 10 + 0x61 }
}
