// The region a catalog answer belongs to.

/// An ISO 3166 alpha-2 code in lower case, as the second path element after `catalog` has it
/// (APPLE-MUSIC-API 14.3).
/// Whether Apple runs a storefront of that name only `/v1/storefronts` can tell.
public struct Storefront: Hashable, Sendable, CustomStringConvertible {
    let first: UInt8
    let second: UInt8

    /// Nil unless the text is exactly two lowercase ASCII letters.
    public init?(_ text: some StringProtocol) {
        var bytes = text.utf8.makeIterator()
        guard let first = bytes.next(), let second = bytes.next(), bytes.next() == nil else { return nil }
        self.init(first, second)
    }

    init?(_ first: UInt8, _ second: UInt8) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard letters.contains(first), letters.contains(second) else { return nil }
        (self.first, self.second) = (first, second)
    }

    init?(_ segment: TextSlice, in bytes: Span<UInt8>) {
        guard segment.count == 2 else { return nil }
        self.init(bytes[segment.start], bytes[segment.start + 1])
    }

    /// The two letters.
    public var bytes: [UInt8] { [first, second] }
    /// The two letters as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public var description: String { text }
}
