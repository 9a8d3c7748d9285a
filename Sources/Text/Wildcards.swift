/// A pattern in which `*` matches any bytes, also none, and every other byte itself.
///
/// The cost of a match is bounded by its length times that of the text.
public struct Wildcards: Sendable, Equatable {
    public let bytes: [UInt8]

    public static let star = UInt8(ascii: "*")

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether the pattern matches the whole of `text`.
    public func matches(_ text: ArraySlice<UInt8>) -> Bool {
        var (at, index) = (text.startIndex, 0)
        // The place of the last star, and the end of its match: the match takes one byte more each
        // time that the rest of the pattern does not fit. An earlier star never has to.
        var retry: (star: Int, end: Int)?
        while at < text.endIndex {
            if index < bytes.count, bytes[index] == Self.star {
                retry = (index, at)
                index += 1
            } else if index < bytes.count, bytes[index] == text[at] {
                (at, index) = (at + 1, index + 1)
            } else if let last = retry {
                retry = (last.star, last.end + 1)
                (at, index) = (last.end + 1, last.star + 1)
            } else {
                return false
            }
        }
        return bytes[index...].allSatisfy { $0 == Self.star }
    }
}
