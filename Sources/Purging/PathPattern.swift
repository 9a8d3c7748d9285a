/// A pattern of canonical paths: `*` stands for any bytes, `/` among them, and everything else for
/// itself.
///
/// The cost of a match is bounded by the number of its stars. ASCII alone, so that SQLite's GLOB,
/// which counts characters, means the same in the file.
public struct PathPattern: Sendable, Equatable {
    let bytes: [UInt8]

    private static let star = UInt8(ascii: "*")
    /// More have no use.
    static let mostStars = 8

    /// Nil where the bytes are no pattern of paths: one begins with `/`, has one to eight stars, no
    /// query, and no byte that a URL cannot have.
    public init?(_ bytes: [UInt8]) {
        let stars = bytes.count { $0 == Self.star }
        guard bytes.first == UInt8(ascii: "/"), (1...Self.mostStars).contains(stars), bytes.count <= 4096,
            bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        else { return nil }
        self.bytes = bytes
    }

    /// Whether the path of a target, which ends before its query, is one of these.
    func matches(_ target: some Collection<UInt8>) -> Bool {
        let path = Array(target.prefix { $0 != UInt8(ascii: "?") })
        var (at, index) = (0, 0)
        // The place of the last star, and the end of its match: the match takes one byte more each
        // time that the rest of the pattern does not fit. An earlier star never has to.
        var retry: (star: Int, end: Int)?
        while at < path.count {
            if index < bytes.count, bytes[index] == Self.star {
                retry = (index, at)
                index += 1
            } else if index < bytes.count, bytes[index] == path[at] {
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

    /// The same for SQLite: its `[` begins a set, and stands for itself in one.
    package var glob: [UInt8] {
        bytes.flatMap { $0 == UInt8(ascii: "[") ? Array("[[]".utf8) : [$0] }
    }
}
