/// Content on the channel of an upgrade. A byte for the kind comes first, then two for the length,
/// high byte first, then the content. Pure.
enum UpgradeFrame: UInt8 {
    /// The words of a `FailureMessage`.
    case failure = 0x65
    /// The answer to `UpgradeChannel.Message.ticketKeys`: the keys, or nothing.
    case ticketKeys = 0x54

    /// Bytes of the length.
    static let lengthBytes = 2

    /// The most bytes of content.
    private var mostBytes: Int {
        switch self {
        case .failure: FailureMessage.mostBytes
        case .ticketKeys: Int(UInt16.max)
        }
    }

    /// The bytes in front of `count` bytes of content, which may have `mostBytes`.
    func head(before count: Int) -> [UInt8] {
        [rawValue, UInt8(count >> 8), UInt8(count & 0xFF)]
    }

    /// How many bytes of content follow this length; nil where it is cut, or too large a number.
    func count(_ length: [UInt8]) -> Int? {
        guard length.count == Self.lengthBytes else { return nil }
        let count = Int(length[0]) << 8 | Int(length[1])
        return count <= mostBytes ? count : nil
    }
}
