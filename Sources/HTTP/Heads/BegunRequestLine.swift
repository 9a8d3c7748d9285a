/// The readable beginning of a request line, for the log of a request that is refused unread.
///
/// Bytes that are no request line may be anything, such as content of the request before. So a
/// method is capital letters alone, and a target begins with `/`.
public struct BegunRequestLine {
    /// Nil where the bytes do not begin with one and a space.
    public private(set) var method: Range<Int>?
    /// The target as far as it has come; nil where there is none.
    public private(set) var target: Range<Int>?

    /// - Parameter bytes: the head, from its beginning on.
    public init(_ bytes: Span<UInt8>) {
        let limits = MessageLimits.request
        var index = 0
        while index < min(bytes.count, 2 * limits.maxEmptyLines), Self.endsLine(bytes[index]) { index += 1 }
        let start = index
        while index < bytes.count, 0x41...0x5A ~= bytes[index] { index += 1 }
        guard (1...limits.maxMethodBytes).contains(index - start), index < bytes.count, bytes[index] == ASCII.space
        else { return }
        method = start..<index
        let path = index + 1
        guard path < bytes.count, bytes[path] == UInt8(ascii: "/") else { return }
        let end = (path..<bytes.count).first { bytes[$0] <= ASCII.space } ?? bytes.count
        target = path..<min(end, path + limits.maxTargetBytes)
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == ASCII.carriageReturn || byte == ASCII.lineFeed }
}
