@testable import HTTP

extension FuzzTarget {
    /// Nothing larger comes out than the bounds allow, and coded content comes out as it was.
    static let gzip = FuzzTarget(
        name: "gzip", summary: "content in gzip, hostile or not",
        run: { bytes in
            let bounds = Gzip.Bounds(most: 1 << 20, ratio: 100, harmless: 4 << 10)
            if let content = try? Gzip.system.inflate(bytes, bounds) {
                precondition(content.count <= max(bytes.count * bounds.ratio, bounds.harmless))
                precondition(content.count == (try? Gzip.system.contentCount(of: bytes, bounds)))
            }
            if let coded = Gzip.system.deflate(bytes) {
                precondition((try? Gzip.system.inflate(coded, .trusted)) == bytes, "coded and inflated")
            }
        },
        seeds: {
            [0, 1, 100, 10_000].compactMap { count in
                Gzip.system.deflate(Array(repeating: UInt8(ascii: "a"), count: count) + Array("{\"data\":[]}".utf8))
            }
        })
}
