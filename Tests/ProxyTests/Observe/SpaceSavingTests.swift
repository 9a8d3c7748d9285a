import TestSupport
import Testing

@testable import Cache
@testable import Proxy

@Suite struct SpaceSavingTests {
    private func key(_ number: Int) -> CacheKey {
        CacheKey(of: .none, scope: .shared, target: Array("/v1/\(number)".utf8))
    }

    @Test func keptKeysAreCompactAndTheirWeightsHalveTogether() {
        var sketch = SpaceSaving(capacity: 4)
        var scratch = CacheKey(of: .none, scope: .shared, target: [UInt8](repeating: 0x2F, count: 8_000))
        for number in 0..<20 {
            scratch.set(scope: .shared, target: Array("/v1/\(number)".utf8))
            sketch.add(scratch, weight: 1)
        }
        #expect(sketch.items.count == 4 && sketch.items.allSatisfy { $0.key.capacity < 128 })
        var fading = SpaceSaving(capacity: 2)
        fading.add(key(1), weight: 8, count: 4, .absent)
        fading.add(key(2), weight: 2)
        fading.fade()
        #expect(fading.items.map(\.weight) == [4, 1])
        #expect(fading.items.map(\.count) == [2, 0.5])
        #expect(fading.items[0].reason == .absent)
    }

    @Test func heavyKeysAreKeptWithABoundedWeight() {
        var random = SeededGenerator(seed: 62)
        for _ in 0..<20 {
            var sketch = SpaceSaving(capacity: 16)
            var truth: [CacheKey: Double] = [:]
            for _ in 0..<4000 {
                // A few are asked for often, most of them once.
                let number =
                    Bool.random(using: &random)
                    ? Int.random(in: 0..<5, using: &random) : .random(in: 5..<5000, using: &random)
                let weight = Double(Int.random(in: 1...9, using: &random))
                truth[key(number), default: 0] += weight
                sketch.add(key(number), weight: weight)
            }
            let total = truth.values.reduce(0, +)
            for (key, weight) in truth where weight > total / 16 {
                #expect(sketch.items.contains { $0.key == key })
            }
            for item in sketch.items {
                let weight = truth[item.key] ?? 0
                #expect(item.weight >= weight && item.weight - item.excess <= weight)
            }
            #expect(sketch.items.count == 16)
        }
    }
}
