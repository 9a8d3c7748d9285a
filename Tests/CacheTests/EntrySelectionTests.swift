import TestSupport
import Testing

@testable import Cache
@testable import Purging
@testable import Store

@Suite struct EntrySelectionTests {
    private func selection(_ conditions: EntrySelection.Condition...) -> EntrySelection { EntrySelection(conditions) }

    @Test func allConditionsMustHold() {
        let answer = response("/v1/catalog/us/songs/1?l=en", resources: [7])
        #expect(EntrySelection().chooses(answer))
        let target = Array("/v1/catalog/us/songs/1?l=en".utf8)
        #expect(selection(.target(target), .storefront("us")).chooses(answer))
        #expect(!selection(.target(target), .storefront("gb")).chooses(answer))
        #expect(!selection(.target(Array(target.dropLast()))).chooses(answer))
        #expect(!selection(.target("/v1/catalog/us/songs/1")).chooses(answer), "the query belongs to it")
        #expect(selection(.prefix(Array(target.dropLast()))).chooses(answer))
        #expect(selection(.prefix("/v1/"), .resource(7)).chooses(answer))
        #expect(!selection(.prefix("/v1/"), .resource(8)).chooses(answer))
        let wide = response("/a", resources: [StoredResponse.everyResource])
        #expect([0, 1, .max - 1].allSatisfy { wide.mayName($0) })
    }

    @Test(arguments: [41, 42] as [UInt64])
    func aResourceIsFoundAmongThoseNamed(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for count in 0..<60 {
            let resources = Set((0..<count).map { _ in UInt64.random(in: 0..<100, using: &generator) }).sorted()
            let answer = response("/a", resources: resources)
            for number in 0..<100 as Range<UInt64> {
                #expect(answer.mayName(number) == resources.contains(number), "seed \(seed), \(resources), \(number)")
            }
        }
    }

    let scratch = Scratch()

    private static let targets = [
        "/", "/v1", "/v1/a", "/v1/a?l=en", "/v1/ä", "/v1/äö", "/v1/'%_\\", "/v1/'%_\\*", "/V1/a",
    ]
    private static let storefronts = ["", "us", "gb"]
    private static let resources: [UInt64] = [
        0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x8000_7F00_FF27_0025, 0x2725_5F5C_C3A4_C3B6,
    ]
    private enum Kind: CaseIterable {
        case target, prefix, pattern, storefront, classTag, resource

        /// A new condition needs a kind here to compile, and the kind a value in `drawn`.
        init(_ condition: EntrySelection.Condition) {
            switch condition {
            case .target: self = .target
            case .prefix: self = .prefix
            case .pattern: self = .pattern
            case .storefront: self = .storefront
            case .classTag: self = .classTag
            case .resource: self = .resource
            }
        }
    }

    /// A condition of this kind, such that some entries have it.
    private func drawn(_ kind: Kind, _ generator: inout SeededGenerator) -> EntrySelection.Condition {
        let target = Array(Self.targets.randomElement(using: &generator)!.utf8)
        switch kind {
        case .target: return .target(target)
        // It may end within a character.
        case .prefix: return .prefix(Array(target.prefix(.random(in: 0...target.count, using: &generator))))
        case .pattern:
            let patterns = ["/*", "/v1/*", "/*/a", "/v1/'%_\\*", "/v1/*a*"]
            return .pattern(PathPattern(Array(patterns.randomElement(using: &generator)!.utf8))!)
        case .storefront: return .storefront(Array(Self.storefronts.randomElement(using: &generator)!.utf8))
        case .classTag: return .classTag(.random(in: 0..<4, using: &generator))
        case .resource: return .resource(Self.resources.randomElement(using: &generator)!)
        }
    }

    private func entries(_ generator: inout SeededGenerator) -> [StoredResponse] {
        var entries: [StoredResponse] = []
        for target in Self.targets {
            for variant in ["", "en", "de"] {
                let named = Self.resources.filter { _ in Bool.random(using: &generator) }.sorted()
                let namesAny = Int.random(in: 0..<8, using: &generator) == 0
                entries.append(
                    response(
                        target, variant: variant, storefront: Self.storefronts.randomElement(using: &generator)!,
                        classTag: .random(in: 0..<4, using: &generator),
                        resources: namesAny ? [StoredResponse.everyResource] : named))
            }
        }
        return entries
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func memoryAndFileChooseTheSameEntries(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let store = scratch.open()
        let entries = entries(&generator)
        store.write(entries)
        var sizes: Set<Int> = []
        for _ in 0..<100 {
            var selection = EntrySelection()
            for kind in Kind.allCases where Int.random(in: 0..<3, using: &generator) == 0 {
                let condition = drawn(kind, &generator)
                #expect(Kind(condition) == kind)
                selection.narrow(by: condition)
            }
            let inMemory = entries.filter({ selection.chooses($0) }).map { entry in
                String(decoding: entry.key.target + " ".utf8 + entry.key.variant, as: UTF8.self)
            }
            let inFile = store.list(selection, limit: 1_000).map { row in
                String(decoding: row.target + " ".utf8 + row.variant, as: UTF8.self)
            }
            #expect(inFile.sorted() == inMemory.sorted(), "seed \(seed), \(selection.conditions)")
            #expect(await store.count(selection) == inMemory.count, "seed \(seed), \(selection.conditions)")
            sizes.insert(inMemory.count)
        }
        #expect(sizes.count > 5 && sizes.contains(0) && sizes.contains(entries.count), "the selections differ")
    }
}
