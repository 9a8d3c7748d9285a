import Text

/// A pattern of canonical paths: `*` matches any bytes, `/` among them, every other byte itself.
///
/// ASCII alone, so that SQLite's GLOB, which counts characters, means the same in the file.
public struct PathPattern: Sendable, Equatable {
    private let text: Wildcards
    var bytes: [UInt8] { text.bytes }

    /// The most stars that a pattern has a use for.
    static let mostStars = 8

    /// Nil where the bytes are no pattern of paths: one begins with `/`, has one to eight stars, no
    /// query, and no byte that a URL cannot have.
    public init?(_ bytes: [UInt8]) {
        let stars = bytes.count { $0 == Wildcards.star }
        guard bytes.first == UInt8(ascii: "/"), (1...Self.mostStars).contains(stars), bytes.count <= 4096,
            bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        else { return nil }
        text = Wildcards(bytes)
    }

    /// Whether the path of a target, which ends before its query, is one of these.
    func matches(_ target: some Collection<UInt8>) -> Bool {
        text.matches(Array(target.prefix { $0 != UInt8(ascii: "?") })[...])
    }

    /// The pattern for SQLite's GLOB, where `[` begins a set, and stands for itself in one.
    package var glob: [UInt8] {
        bytes.flatMap { $0 == UInt8(ascii: "[") ? Array("[[]".utf8) : [$0] }
    }
}
