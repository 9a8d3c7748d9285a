import Cache
import Store
import Testing

@testable import Tier

@Suite struct TierKeysTests {
    private let keys = TierKeys(prefix: "refrain")

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test func everyNameIsUnderThePrefixAndKeysAreDigests() throws {
        #expect(text(keys.purges) == "refrain:{refrain}:purges" && text(keys.epoch) == "refrain:{refrain}:epoch")
        #expect(
            text(keys.budget(at: .none)) == "refrain:{refrain}:budget:0000000000000000"
                && text(keys.budgetNodes(at: .none)) == "refrain:{refrain}:budget:nodes:0000000000000000")
        #expect(text(keys.untaggedNodes) == "refrain:nodes" && text(TierKeys(prefix: "x:").untaggedNodes) == "x:nodes")
        #expect(text(keys.nodes) == "refrain:{refrain}:nodes")
        #expect(text(keys.generation([0, 0xAB])) == "refrain:{refrain}:g:00ab")
        #expect(
            text(TierKeys(prefix: "x:").purges) == "x:{x}:purges"
                && text(TierKeys(prefix: "").purges) == ":{refrain}:purges")
        // `printf 'shared\0/v1/catalog/us/albums/1\0' | sha256sum` says the same.
        let pair = keys.pair(of: key("/v1/catalog/us/albums/1"))
        #expect(text(pair?.value) == "refrain:{refrain}:v1:74e833a560da39e18e48c47aa987b6db")
        #expect(text(pair?.claim) == "refrain:{refrain}:c1:74e833a560da39e18e48c47aa987b6db")
        let all = [key("/a"), key("/b"), key("/a", "en"), key("/a\u{0}en")].compactMap { keys.pair(of: $0)?.value }
        #expect(Set(all).count == 4)
        #expect(keys.pair(of: key("/a", "", .personal(try #require(someone())))) == nil)
    }

    /// Nodes of two upstreams found each other's answers, hints and budget.
    @Test func originsHaveNoNameInCommon() {
        let tags = [OriginTag.none] + ["a", "b"].map { Origin(isTLS: true, host: $0, port: 443).tag }
        let pairs = tags.compactMap { keys.pair(of: CacheKey(of: $0, scope: .shared, target: Array("/a".utf8))) }
        let names =
            pairs.flatMap { [$0.value, $0.claim] } + tags.map { keys.hint(7, at: $0) }
            + tags.flatMap { [keys.budget(at: $0), keys.budgetNodes(at: $0)] }
        #expect(pairs.map(\.origin) == tags && Set(names).count == 15)
        #expect(names.allSatisfy { text($0)?.hasPrefix("refrain:{refrain}:") == true })
    }
}
