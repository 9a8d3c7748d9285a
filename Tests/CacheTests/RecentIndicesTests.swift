import Testing

@testable import Cache
@testable import Store

@Suite struct RecentIndicesTests {
    /// Many more keys than are remembered, in any order, each looked for several times.
    @Test func anIndexIsThatOfTheKey() {
        let keys = (0..<500).map { CacheKey(scope: .shared, target: Array("/v1/catalog/us/songs/\($0)".utf8)) }
        var recent = RecentIndices()
        for round in 1...3 {
            for number in keys.indices {
                let key = keys[number * round * 7 % keys.count]
                #expect(recent.index(of: key) == key.index)
                #expect(recent.index(of: key) == key.index)
            }
        }
    }
}
