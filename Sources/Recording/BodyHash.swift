import Text

/// The SHA-256 of a body: its name in the file of bodies; tells two answers apart.
public struct BodyHash: Sendable, Hashable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// nil where libcrypto refuses, which it does only out of memory.
    public init?(of content: [UInt8]) {
        guard let digest = content.withUnsafeBytes({ Digest.sha256($0) }) else { return nil }
        bytes = digest
    }

    /// - Parameter digest: nil for anything but 32 bytes.
    public init?(digest: [UInt8]) {
        guard digest.count == 32 else { return nil }
        bytes = digest
    }

    /// Reads 64 hexadecimal digits in lower case; nil for anything else.
    init?(_ text: some StringProtocol) {
        // Upper case would be a second name for the same file.
        let digits = text.utf8.map { 0x41...0x46 ~= $0 ? nil : Hexadecimal.value($0) }
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits.
    public var description: String { Hexadecimal.text(bytes) }
}
