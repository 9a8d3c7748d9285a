import Dispatch
import Foundation
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

/// Purges, and changes of parts, while composed answers are stored.
@Suite(.timeLimit(.minutes(10))) struct ComposedPurgeTests {
    let scratch = Scratch()

    /// Every way to choose the second of two parts, of which an answer under `/c` was composed.
    private static let selections: [[EntrySelection.Condition]] = [
        [], [.target("/v1/catalog/us/artists/2")], [.prefix("/v1/catalog/us/art")], [.storefront("us")],
        [.classTag(2)], [.resource(9)], [.prefix("/v1/catalog/us/artists/"), .resource(9)],
    ]

    @Test(arguments: selections.indices, [false, true])
    func itGoesWithAnyPartThatIsChosen(selection: Int, withFile: Bool) async {
        for mode in [PurgeMode.hard, .soft] {
            let scratch = Scratch()
            let cache = composing(withFile ? scratch.open() : nil).cache
            let all = selection == 0 || selection == 3
            let chosen = EntrySelection(Self.selections[selection])
            #expect(await cache.purge(.dryRun, chosen) == (all ? 2 : 1), "it does not count")
            #expect(cache.memory.lookup(key("/c")) != nil)
            #expect(await cache.purge(mode, chosen) == (all ? 2 : 1))
            #expect(cache.memory.lookup(key("/c")) == nil)
            #expect(await cache.purge(mode, chosen) == (mode == .hard ? 0 : all ? 2 : 1))
        }
    }

    @Test func itStaysUnlessItOrAnyPartIsChosen() async {
        let cache = composing().cache
        #expect(await cache.purge(.hard, .target("/v1/catalog/us/artists/3")) == 0)
        #expect(await cache.purge(.hard, .prefix("/v1/catalog/gb")) == 0)
        #expect(await cache.purge(.hard, .storefront("gb")) == 0)
        #expect(await cache.purge(.hard, .resource(8)) == 0)
        #expect(cache.memory.lookup(key("/c")) != nil)
        #expect(await cache.purge(.soft, .target("/c")) == 0)
        #expect(cache.memory.lookup(key("/c")) == nil, "its own target")
        // The part is in the file alone, and nothing in memory says that the purge means it.
        let store = scratch.open()
        let (filed, _) = composing(store)
        filed.flush()
        filed.memory.remove(key("/v1/catalog/us/artists/2"))
        #expect(await filed.purge(.hard, .resource(9)) == 1)
        #expect(filed.memory.lookup(key("/c")) == nil)
    }

    /// The part that the purge did not choose would answer the target with the state from before.
    @Test(arguments: [PurgeMode.soft, .hard])
    func nothingIsComposedForAPurgedTargetOfPartsFromBefore(mode: PurgeMode) async {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let old = response("/a")
        cache.store(old)
        #expect(cache.store(composed: composed("/c", from: [old]), from: [old]))
        #expect(await cache.purge(mode, .target("/c")) == 0)
        #expect(cache.lookup(key("/c"), nil, at: noon) == nil)
        #expect(cache.memory.lookup(key("/a")) === old && old.isFresh(at: noon), "it is not chosen")
        #expect(!cache.store(composed: composed("/c", from: [old]), from: [old]))
        #expect(cache.store(composed: composed("/d", from: [old]), from: [old]))
        // In the same second, and by a clock that was set back.
        let new = response("/a", at: noon - 60, born: cache.purges.newest)
        cache.store(new)
        #expect(cache.store(composed: composed("/c", from: [new]), from: [new]))
    }

    /// Every way to choose a target that was composed, and none of its parts.
    @Test(arguments: [
        [EntrySelection.Condition.target("/c")], [.prefix("/c")], [.prefix("/c"), .storefront("us")],
        [.prefix("/c"), .classTag(1)], [.target("/c"), .resource(7)],
    ])
    func ofAPurgedTargetNoPartFromBeforeIsUsed(conditions: [EntrySelection.Condition]) async {
        for mode in [PurgeMode.soft, .hard] {
            let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
            let parts = [response("/a", resources: [7]), response("/b", resources: [8])]
            for part in parts { cache.store(part) }
            _ = await cache.purge(mode, EntrySelection(conditions))
            #expect(!cache.store(composed: composed("/c", from: parts), from: parts))
            // One of them is new.
            let new = response("/a", born: cache.purges.newest, resources: [7])
            cache.store(new)
            #expect(!cache.store(composed: composed("/c", from: [new, parts[1]]), from: [new, parts[1]]))
            #expect(cache.store(composed: composed("/d", from: [new, parts[1]]), from: [new, parts[1]]))
        }
    }

    /// It was born before a purge that chose it, and came after that had gone through the cache.
    @Test(arguments: [PurgeMode.soft, .hard]) func nothingIsComposedOfAPartThatAPurgeChose(mode: PurgeMode) async {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let part = response("/a", resources: [7])
        cache.store(part)
        cache.purge(EntrySelection([.resource(7)]), mode, at: noon) { _ in }
        #expect(!cache.store(composed: composed("/c", from: [part]), from: [part]), "at once")
        #expect(await cache.purge(mode, .resource(9)) == 0)
        #expect(!cache.store(composed: composed("/c", from: [part]), from: [part]))
        #expect(cache.lookup(key("/c"), nil, at: noon) == nil)
    }

    /// A purge of others goes through the cache meanwhile.
    @Test func aPurgeOfOthersDoesNotKeepAnythingFromBeingComposed() async {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let part = response("/a", resources: [7])
        cache.store(part)
        let sets: [[EntrySelection.Condition]] = [
            [.target("/b")], [.resource(8)], [.classTag(2)], [.storefront("gb")], [.prefix("/b"), .resource(7)],
        ]
        for conditions in sets {
            cache.purge(EntrySelection(conditions), .hard, at: noon) { _ in }
            #expect(cache.store(composed: composed("/c", from: [part]), from: [part]), "\(conditions)")
        }
        #expect(await cache.purge(.hard, .target("/none")) == 0)
        #expect(cache.lookup(key("/a"), nil, at: noon) === part)
    }

    /// It was composed again for each request, until the sweep of that purge had ended.
    @Test func whatIsComposedOfANewPartIsFoundWhileThePurgeOfTheOldOneGoesOn() {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        cache.store(response("/a"))
        cache.store(response("/b"))
        let number = cache.purges.note(EntrySelection([.target("/b")]), .hard)
        #expect(cache.purges.isSweeping && cache.lookup(key("/b"), nil, at: noon) == nil)
        let parts = [cache.lookup(key("/a"), nil, at: noon), response("/b", born: number)].compactMap { $0 }
        cache.store(parts[1])
        let composed = StoredResponse(
            composed: Array("{}".utf8), key: key("/c"), parts: parts, detail: .composed, receivedAt: noon, born: number,
            lifetime: Lifetime(freshFor: 9), classTag: 1)
        #expect(cache.store(composed: composed, from: parts))
        #expect(cache.lookup(key("/c"), nil, at: noon) === composed)
        cache.purges.note(EntrySelection([.target("/a")]), .soft)
        #expect(cache.lookup(key("/c"), nil, at: noon) == nil, "a later one of a part")
    }

    /// The purge has read an answer and not yet removed it when that gets an outline.
    @Test func aPurgeTakesAnAnswerThatGetsAnOutlineMeanwhile() {
        for mode in [PurgeMode.hard, .soft] {
            let memory = MemoryTier(maxBytes: 1 << 20)
            let stored = response("/a")
            memory.store(stored)
            memory.forEachResponse { met in
                memory.attach(stored.with(outline: FakeOutline(byteCount: 5)), to: stored)
                if mode == .hard { memory.remove(met) } else { memory.soften(met, at: noon, judged: 1) }
            }
            let rest = memory.lookup(key("/a"))
            #expect(mode == .hard ? rest == nil : rest?.freshFor == 0)
        }
    }

    /// After a change of a part, no answer is found that was composed of the part before it.
    @Test(arguments: TestSize.of([81, 82], release: [81, 82, 83, 84]) as [UInt64])
    func nothingStaysThatWasComposedOfWhatHasGone(seed: UInt64) {
        let race = CompositionRace(seed: seed, store: seed % 2 == 0 ? scratch.open() : nil)
        let ended = DispatchSemaphore(value: 0)
        for thread in 0..<3 {
            // Not `concurrentPerform`, which may run one after the other.
            Thread.detachNewThread {
                race.composeAndLook(thread)
                ended.signal()
            }
        }
        race.change(atLeast: 1_000, upTo: 100_000)
        for _ in 0..<3 { ended.waitOrFail() }
        #expect(race.wrong.load(ordering: .relaxed) == 0, "seed \(seed)")
        #expect(race.found.load(ordering: .relaxed) > 100, "or this proved nothing")
    }
}

/// Parts whose bodies are growing versions, and answers composed of two of them each.
private final class CompositionRace: Sendable {
    private static let partCount = 5
    let wrong = Atomic<Int>(0)
    let found = Atomic<Int>(0)
    private let seed: UInt64
    private let cache: ResponseCache
    private let isDone = Atomic<Bool>(false)
    /// The least version of each part that a composed answer may still hold.
    private let least = Mutex([Int](repeating: 0, count: partCount))

    init(seed: UInt64, store: FileTier?) {
        self.seed = seed
        cache = ResponseCache(memory: MemoryTier(maxBytes: 4 << 20), file: store)
        for part in 0..<Self.partCount { cache.store(response("/\(part)", "0", resources: [UInt64(part)])) }
    }

    /// Goes on until the others have found something, too.
    func change(atLeast times: Int, upTo most: Int) {
        var generator = SeededGenerator(seed: seed)
        for version in 1...most {
            if version > times, found.load(ordering: .relaxed) > 1_000 { break }
            let part = Int.random(in: 0..<Self.partCount, using: &generator)
            // The stored part has an earlier version, which no composed answer may hold afterwards.
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: cache.remove(key("/\(part)"))
            case 1: purge(.hard, .target("/\(part)"))
            case 2: purge(.soft, .resource(UInt64(part)))
            case 3 where cache.file == nil:
                cache.memory.remove(key("/\(part)"))
                continue
            default:
                let born = cache.purges.newest
                cache.store(response("/\(part)", "\(version)", born: born, resources: [UInt64(part)]))
            }
            least.withLock { $0[part] = version }
        }
        isDone.store(true, ordering: .relaxed)
    }

    func composeAndLook(_ thread: Int) {
        var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(thread))
        let reader = cache.file?.makeReader()
        while !isDone.load(ordering: .relaxed) {
            let first = Int.random(in: 0..<Self.partCount, using: &generator)
            let second = (first + Int.random(in: 1..<Self.partCount, using: &generator)) % Self.partCount
            let target = "/c/\(first)/\(second)"
            let least = least.withLock { ($0[first], $0[second]) }
            if let answer = cache.memory.lookup(key(target)) {
                let versions = String(decoding: answer.body, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
                found.wrappingAdd(1, ordering: .relaxed)
                if versions[0] < least.0 || versions[1] < least.1 { wrong.wrappingAdd(1, ordering: .relaxed) }
            }
            let parts = [first, second].compactMap { cache.lookup(key("/\($0)"), reader, at: noon) }
            guard parts.count == 2, parts.allSatisfy({ $0.isFresh(at: noon) }) else { continue }
            if Bool.random(using: &generator) { cache.attach(FakeOutline(byteCount: 9), to: parts[0]) }
            let body = parts.map { String(decoding: $0.body, as: UTF8.self) }.joined(separator: ",")
            cache.store(composed: composed(target, from: parts, body), from: parts)
        }
    }

    private func purge(_ mode: PurgeMode, _ conditions: EntrySelection.Condition...) {
        let answered = DispatchSemaphore(value: 0)
        cache.purge(EntrySelection(conditions), mode, at: noon) { _ in answered.signal() }
        answered.waitOrFail()
    }
}
