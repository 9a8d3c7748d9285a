import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Purging
@testable import Store

/// A cache and a model that forgets nothing go through the same script.
@Suite(.timeLimit(.minutes(10))) struct PurgeScriptTests {
    @Test(arguments: TestSize.of(1...6, full: 1...60) as ClosedRange<UInt64>, PurgeScript.Place.allCases)
    func noAnswerIsFoundThatAPurgeChoseAndAllOthersAre(seed: UInt64, place: PurgeScript.Place) async throws {
        let scratch = Scratch()
        var script = PurgeScript(seed: seed, place, scratch)
        for _ in 0..<400 { try await script.step() }
        try await script.end()
        #expect(
            script.seen[0...2].allSatisfy { $0 > 0 } && (script.seen[3] > 0 || !place.holdsAll),
            "seed \(seed), \(place): \(script.seen)")
    }
}

/// All answers that were stored, and all purges.
private struct PurgeModel {
    struct Purge {
        let number: Int64
        let selection: EntrySelection
        let mode: PurgeMode
    }

    var answers: [StoredResponse] = []
    var purges: [Purge] = []
    /// The last answer to each target that was stored and not removed, as an index.
    var current: [String: Int] = [:]
    /// The parts of each target that was composed.
    var composed: [String: [StoredResponse]] = [:]

    func verdict(on answer: StoredResponse) -> PurgeVerdict {
        let chosen = purges.filter { $0.number > answer.born && $0.selection.chooses(answer) }
        return chosen.contains { $0.mode == .hard } ? .gone : chosen.isEmpty ? .untouched : .stale
    }

    /// Whether an answer for this target may be composed of these. A purge that leaves no parts has
    /// chosen these too.
    func allows(_ target: String, from parts: [StoredResponse]) -> Bool {
        parts.allSatisfy { verdict(on: $0) == .untouched } && !isChosen(target, madeOf: parts) { _ in true }
    }

    /// Whether an answer that was composed of these may still be found.
    func allows(_ found: StoredResponse, for target: String, from parts: [StoredResponse]) -> Bool {
        // A purge may require a resource beside the target.
        parts.allSatisfy { verdict(on: $0) == .untouched }
            && !isChosen(target, madeOf: parts) { $0.selection.chooses(found) }
    }

    /// Whether a purge since the oldest of the parts began chose the target itself.
    private func isChosen(
        _ target: String, madeOf parts: [StoredResponse], _ condition: (Purge) -> Bool
    ) -> Bool {
        let born = parts.map(\.born).min() ?? 0
        return purges.contains { purge in
            purge.number > born && !purge.selection.leavesNoParts && condition(purge)
                && purge.selection.chooses(Array(target.utf8), storefront: parts[0].storefront, classTag: 1)
        }
    }
}

struct PurgeScript {
    enum Place: CaseIterable {
        case memory, file, smallMemory, smallFile, reopenedFile

        var holdsAll: Bool { self != .smallMemory && self != .smallFile }
    }

    private let seed: UInt64
    private let place: Place
    private let scratch: Scratch
    private var generator: SeededGenerator
    private var cache: ResponseCache
    private var reader: FileReader?
    private var model = PurgeModel()
    private let clock = TestClock()
    /// Fetches that have begun: their targets, and the numbers under which their answers are born.
    private var flights: [(target: String, born: Int64)] = []
    private let underWay = DispatchGroup()
    private var steps = 0
    /// Answers that were found untouched, stale, gone or late, and composed.
    private(set) var seen = [0, 0, 0, 0]

    init(seed: UInt64, _ place: Place, _ scratch: Scratch) {
        (self.seed, self.place, self.scratch, generator) = (seed, place, scratch, SeededGenerator(seed: seed))
        (cache, reader) = Self.open(place, scratch, clock)
    }

    private static func open(_ place: Place, _ scratch: Scratch, _ clock: TestClock) -> (ResponseCache, FileReader?) {
        let memory = MemoryTier(
            maxBytes: place == .smallMemory ? 6_000 : place == .smallFile ? 100_000 : 16 << 20, shardCount: 1)
        guard place != .memory else { return (ResponseCache(memory: memory, file: nil), nil) }
        let file = scratch.open(maxBytes: place == .smallFile ? 1 << 20 : 64 << 20, now: { clock.now })
        return (ResponseCache(memory: memory, file: file), file.makeReader())
    }

    private var position: Comment { "seed \(seed), \(place), step \(steps)" }

    private mutating func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func target() -> String { "/v1/\(["albums", "songs"][draw(2)])/\(draw(6))" }

    mutating func step() async throws {
        steps += 1
        switch draw(32) {
        case 0...5: flights.append((target(), cache.purges.newest))
        case 6...11 where !flights.isEmpty: land(flights.remove(at: draw(flights.count)))
        case 12...14: try await purge()
        case 15...18: try compose()
        case 19:
            let target = target()
            cache.remove(key(target))
            model.current[target] = nil
        case 20: clock.now = noon + Int64(draw(200_000)) - 100_000
        case 21: cache.flush()
        case 22 where place == .reopenedFile: try await reopen()
        default: try look(at: target())
        }
    }

    mutating func end() async throws {
        await settle()
        for target in model.current.keys.sorted() { try look(at: target) }
        cache.close()
    }

    /// As the proxy stores: what was purged during its fetch is not.
    private mutating func land(_ flight: (target: String, born: Int64)) {
        let names = (0..<5 as Range<UInt64>).filter { _ in draw(4) == 0 }
        let filler = place == .smallFile ? filler(20_000) : ""
        let answer = response(
            flight.target, "\(model.answers.count) \(filler)", at: clock.now,
            lifetime: Lifetime(freshFor: 1_000_000, staleFor: 1_000_000),
            storefront: ["us", "gb"][flight.target.utf8.count % 2], classTag: flight.target.contains("songs") ? 2 : 1,
            born: flight.born, resources: draw(12) == 0 ? [StoredResponse.everyResource] : names)
        guard cache.purges.verdict(on: answer, since: answer.born) == .untouched else {
            seen[2] += 1
            return
        }
        cache.store(answer, reader)
        model.current[flight.target] = model.answers.count
        model.answers.append(answer)
    }

    // MARK: Looking

    private mutating func look(at target: String) throws {
        let expected = model.current[target].map { model.answers[$0] }
        let verdict = expected.map { model.verdict(on: $0) }
        guard let found = cache.lookup(key(target), reader, at: clock.now) else {
            if verdict == .gone { seen[2] += 1 }
            try #require(!place.holdsAll || verdict == nil || verdict == .gone, "\(position): \(target) is lost")
            return
        }
        try #require(found.body == expected?.body, "\(position): \(target) is of another time")
        try #require(verdict != .gone, "\(position): \(target) was purged")
        // Nothing of a time that is later by more than a minute is fresh, as its age is not known.
        for second in [noon - 100_100, found.receivedAt, clock.now, noon + 100_000] {
            let isFresh = verdict == .untouched && second >= found.receivedAt
            try #require(found.isFresh(at: second) == isFresh, "\(position): \(target), \(second)")
        }
        seen[verdict == .untouched ? 0 : 1] += 1
    }

    private mutating func compose() throws {
        let target = "/v1/composed/\(draw(4))"
        if let found = cache.lookup(key(target), reader, at: clock.now) {
            let parts = try #require(model.composed[target], position)
            try #require(model.allows(found, for: target, from: parts), "\(position): \(target) was purged")
        }
        let (cache, reader, now) = (cache, reader, clock.now)
        let parts = Set([self.target(), self.target()]).sorted().compactMap { part in
            cache.lookup(key(part), reader, at: now).flatMap { $0.isFresh(at: now) ? $0 : nil }
        }
        guard !parts.isEmpty, parts.allSatisfy({ $0.storefront == parts[0].storefront }) else { return }
        let answer = StoredResponse(
            composed: Array("\(steps)".utf8), key: key(target), parts: parts, detail: .composed, receivedAt: now,
            born: cache.purges.newest, lifetime: Lifetime(freshFor: 100_000), classTag: 1)
        let isStored = cache.store(composed: answer, from: parts)
        // In a small memory a part may have given way to another.
        let isHeld = parts.allSatisfy { cache.isInMemory($0.key) }
        try #require(isStored == model.allows(target, from: parts) || !isStored && !isHeld, "\(position): \(target)")
        guard isStored else { return }
        model.composed[target] = parts
        seen[3] += 1
    }

    // MARK: Purging

    private mutating func purge() async throws {
        let selection = selection()
        let mode = [PurgeMode.hard, .soft, .soft, .dryRun][draw(4)]
        let isWaiting = draw(2) == 0
        if mode == .dryRun { await settle() }
        let (answered, underWay) = (Answered(), underWay)
        underWay.enter()
        cache.purge(selection, mode, at: clock.now) { chosen in
            answered.count.withLock { $0 = chosen }
            underWay.leave()
        }
        if mode != .dryRun {
            model.purges.append(PurgeModel.Purge(number: cache.purges.newest, selection: selection, mode: mode))
        }
        if isWaiting || mode == .dryRun { await settle() }
        guard mode == .dryRun, place.holdsAll else { return }
        let held = model.current.values.map { model.answers[$0] }
        let chosen = held.count { model.verdict(on: $0) != .gone && selection.chooses($0) }
        try #require(answered.count.withLock { $0 } == chosen, position)
    }

    private final class Answered: Sendable {
        let count = Mutex<Int?>(nil)
    }

    private func settle() async {
        await withCheckedContinuation { continuation in
            underWay.notify(queue: .global()) { continuation.resume() }
        }
    }

    private mutating func selection() -> EntrySelection {
        var conditions: [EntrySelection.Condition] = []
        for _ in 0..<[1, 1, 1, 1, 2, draw(6) == 0 ? 0 : 1][draw(6)] {
            switch draw(7) {
            case 0, 1: conditions.append(.target(draw(4) == 0 ? "/v1/composed/\(draw(4))" : target()))
            case 2: conditions.append(.prefix(String(target().dropLast(draw(4)))))
            case 3: conditions.append(.storefront(["us", "gb"][draw(2)]))
            case 4: conditions.append(.classTag(UInt8(1 + draw(2))))
            case 5: PathPattern(Array("/v1/*/\(draw(6))".utf8)).map { conditions.append(.pattern($0)) }
            default: conditions.append(.resource(UInt64(draw(5))))
            }
        }
        return EntrySelection(conditions)
    }

    private mutating func reopen() async throws {
        if draw(2) == 0 { await settle() }
        cache.close()
        await settle()
        let before = cache.purges.newest
        (cache, reader) = Self.open(place, scratch, clock)
        waitUntil { cache.purges.newest >= before }
        try #require(cache.purges.newest == before, "\(position): numbers go on where they ended")
        // Fetches that were under way are over.
        flights = []
    }
}
