import Testing

@testable import Tier

@Suite struct TierKeysTests {
    private let keys = TierKeys(prefix: "refrain")

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test func everyNameIsUnderThePrefixAndKeysAreDigests() throws {
        #expect(text(keys.purges) == "refrain:purges" && text(keys.epoch) == "refrain:epoch")
        #expect(text(keys.budget) == "refrain:budget" && text(keys.budgetNodes) == "refrain:budget:nodes")
        #expect(text(keys.nodes) == "refrain:nodes")
        #expect(text(keys.generation([0, 0xAB])) == "refrain:g:00ab")
        #expect(text(TierKeys(prefix: "x:").purges) == "x:purges" && text(TierKeys(prefix: "").purges) == ":purges")
        // `printf 'shared\0/v1/catalog/us/albums/1\0' | sha256sum` says the same.
        let pair = keys.pair(of: key("/v1/catalog/us/albums/1"))
        #expect(text(pair?.value) == "refrain:v1:74e833a560da39e18e48c47aa987b6db")
        #expect(text(pair?.claim) == "refrain:c1:74e833a560da39e18e48c47aa987b6db")
        let all = [key("/a"), key("/b"), key("/a", "en"), key("/a\u{0}en")].compactMap { keys.pair(of: $0)?.value }
        #expect(Set(all).count == 4)
        #expect(keys.pair(of: key("/a", "", .personal(try #require(someone())))) == nil)
    }
}
