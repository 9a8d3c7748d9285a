import Testing
import Text

@Suite struct NumberedKeyTests {
    private struct Key: NumberedKey {
        let number: UInt64
        var kind = 0
        var hashNumber: UInt64 { number }
    }

    /// As the standard library's collections ask, which know a key only as one that can be hashed.
    private func rawHash<Element: Hashable>(_ key: Element, seed: Int) -> Int { key._rawHashValue(seed: seed) }

    @Test func collectionsGoByTheNumberAndAskNoHasher() {
        for number in [0, 1, 7, UInt64.max] {
            let hash = Int(truncatingIfNeeded: SplitMix64.mixed(number))
            #expect(rawHash(Key(number: number), seed: 1) == hash)
            #expect(rawHash(Key(number: number, kind: 1), seed: 2) == hash)
        }
    }

    @Test func keysOfOneNumberAreToldApart() {
        var found: [Key: String] = [Key(number: 1): "one", Key(number: 1, kind: 1): "other"]
        #expect(found[Key(number: 1)] == "one" && found[Key(number: 1, kind: 1)] == "other")
        #expect(found.removeValue(forKey: Key(number: 1)) == "one")
        #expect(found[Key(number: 1, kind: 1)] == "other" && found[Key(number: 1, kind: 2)] == nil)
    }

    /// Numbers that are given out one after another, or differ in their high bits alone, would be
    /// in one row.
    @Test func lowBitsOfHashesDiffer() {
        for shift in [0, 48] {
            let places = Set((0..<256).map { rawHash(Key(number: UInt64($0) << shift), seed: 0) & 511 })
            #expect(places.count > 160)
        }
    }
}
