import EventLoop
import TestSupport
import Testing

@testable import Proxy

@Suite struct BatchStateTests {
    /// Plays misses and ends to the state and shows the results as words: `send 1 2`.
    private struct Script {
        private typealias State = BatchState<String, Int>

        private var state = State()
        private(set) var now = Instant(nanoseconds: 1_000_000_000)
        private var batches: [State.Batch] = []

        var count: Int { state.count }

        mutating func wait(_ milliseconds: Double) { now = now + .nanoseconds(Int(milliseconds * 1_000_000)) }

        mutating func add(_ number: Int, of kind: String = "songs", most: Int = 10, mayWait: Bool = true) -> String {
            switch state.add(Array("\(number)".utf8), of: kind, number, most: most, at: now, mayWait: { mayWait }) {
            case .goAlone: "alone"
            case .wake(let moment): "wake after \((moment - now) / .milliseconds(1)) ms"
            case .wait: "wait"
            case .send(let batch): words(batch)
            }
        }

        mutating func due(_ kind: String = "songs") -> String { words(state.due(kind, at: now)) }

        mutating func ended(_ kind: String = "songs", _ end: BatchState<String, Int>.End = .answered) -> String {
            words(state.ended(kind, end))
        }

        /// Splits the batch that was sent last.
        mutating func halve() -> String {
            guard let batch = batches.popLast(), let (one, other) = state.halve(batch) else { return "nothing" }
            return words(one) + ", " + words(other)
        }

        /// Splits the batch that was sent last, whose answer was too large.
        mutating func split() -> String {
            guard let batch = batches.popLast(), let (one, other) = state.split(batch) else { return "nothing" }
            return words(one) + ", " + words(other)
        }

        private mutating func words(_ batch: State.Batch?) -> String {
            guard let batch else { return "nothing" }
            batches.append(batch)
            let ids = batch.ids.map { String(decoding: $0, as: UTF8.self) }
            return "send " + ids.joined(separator: " ") + (ids.count < batch.members.count ? " for more" : "")
        }
    }

    @Test func aMissWaitsWhileOneOfItsKindIsUnderWay() {
        var script = Script()
        #expect(script.add(1) == "alone")
        script.wait(40)
        #expect(script.add(2) == "wake after 4.0 ms")
        #expect(script.add(3) == "wait")
        var kinds = Script()
        #expect(kinds.add(1) == "alone")
        #expect(kinds.add(1, of: "albums") == "alone")
        #expect(kinds.add(2) == "wake after 4.0 ms")
        #expect(kinds.ended("albums") == "nothing")
        #expect(kinds.due("albums") == "nothing")
        #expect(kinds.ended() == "send 2")
        script = Script()
        #expect(script.add(1) == "alone")
        #expect(script.add(2, mayWait: false) == "alone")
        _ = (script.add(3), script.add(4))
        script.wait(1)
        #expect(script.ended() == "nothing")
        #expect(script.ended() == "send 3 4")
        #expect(script.count == 1)
        #expect(script.ended() == "nothing")
        #expect(script.count == 0)
    }

    /// An origin that is dead keeps a request for 15 seconds.
    @Test func aBatchGoesAfterTheWindowAtTheLatest() {
        var script = Script()
        #expect(script.add(1) == "alone")
        #expect(script.add(2) == "wake after 4.0 ms")
        script.wait(3)
        #expect(script.add(3) == "wait")
        script.wait(1)
        #expect(script.due() == "send 2 3")
        script.wait(1)
        #expect(script.add(4) == "wake after 4.0 ms")
        script.wait(4)
        #expect(script.due() == "send 4")
        for _ in 0..<3 { #expect(script.ended() == "nothing") }
        #expect(script.count == 0)
        var late = Script()
        _ = (late.add(1), late.add(2))
        late.wait(9)
        #expect(late.add(3) == "wait", "the loop was busy")
        #expect(late.due() == "send 2 3")
        // The moment of a batch that was full, or that went at an end, is not that of the next one.
        script = Script()
        _ = (script.add(1), script.add(2))
        script.wait(2)
        #expect(script.ended() == "send 2")
        script.wait(1)
        #expect(script.add(3) == "wake after 4.0 ms")
        script.wait(1)
        #expect(script.due() == "nothing")
        script.wait(3)
        #expect(script.due() == "send 3")
    }

    /// The members of a list whose answer was too large went alone, each of them.
    @Test func aBatchThatIsTooLargeIsSplitAsOftenAsItTakes() {
        var script = Script()
        for number in 1...65 { _ = script.add(number, most: 64) }
        var parts = 1
        for _ in 0..<6 {
            #expect(script.split() != "nothing")
            parts += 1
        }
        #expect(script.split() == "nothing", "one alone")
        for _ in 0..<parts { #expect(script.ended() == "nothing") }
        #expect(script.ended() == "nothing")
        #expect(script.count == 0)
        // Nor does the origin count as failing.
        _ = (script.add(1), script.add(2), script.add(3))
        #expect(script.ended() == "send 2 3")
        #expect(script.halve() == "send 2, send 3")
    }

    /// The bound may have become smaller while misses waited.
    @Test func theBoundIsAskedOfWaitingMissesAlone() {
        var script = Script()
        #expect(script.add(1, most: 0) == "alone")
        #expect(script.add(2) == "wake after 4.0 ms")
        #expect(script.add(3) == "wait")
        #expect(script.add(4, most: 2) == "send 2 3 4")
    }

    @Test func aFullBatchGoesAndIsUnderWayUntilItsHalvesEnd() {
        var script = Script()
        _ = (script.add(1, most: 2), script.add(2, most: 2))
        #expect(script.add(3, most: 2) == "send 2 3")
        script.wait(4)
        #expect(script.due() == "nothing")
        var twice = Script()
        _ = (twice.add(1), twice.add(2), twice.add(2))
        #expect(twice.ended() == "send 2 for more")
        #expect(twice.halve() == "nothing")
        // A waiting request does not take the end of one half for that of the batch.
        script = Script()
        _ = script.add(1)
        for number in 2...4 { _ = script.add(number) }
        #expect(script.ended() == "send 2 3 4")
        #expect(script.halve() == "send 2, send 3 4")
        #expect(script.halve() == "send 3, send 4")
        #expect(script.add(5) == "wake after 4.0 ms")
        #expect(script.ended() == "nothing")
        #expect(script.ended() == "nothing")
        #expect(script.ended() == "send 5")
    }

    /// Joins misses and halves the batch while a part fails; returns what failed alone.
    private func join(
        _ count: Int, in state: inout BatchState<String, Int>, after end: BatchState<String, Int>.End,
        isGood: ([Int]) -> Bool = { _ in false }
    ) throws -> (failed: [Int], requests: Int) {
        for number in 0...count {
            let id = Array("\(number)".utf8)
            _ = state.add(id, of: "a", number, most: 200, at: Instant(nanoseconds: 0)) { true }
        }
        let first = state.ended("a", end)
        var (open, failed, requests) = ([try #require(first)], [Int](), 0)
        while let batch = open.popLast() {
            requests += 1
            let isGood = isGood(batch.members.map(\.member))
            if !isGood, let (one, other) = state.halve(batch) {
                open += [one, other]
            } else {
                if !isGood { failed += batch.members.map(\.member) }
                _ = state.ended("a", isGood ? .answered : .failed)
            }
        }
        return (failed, requests)
    }

    /// An origin that answers nothing is not asked for twice as much.
    @Test(arguments: [2, 4, 11, 100]) func whileEverythingFailsLittleIsTakenApart(count: Int) throws {
        var state = BatchState<String, Int>()
        #expect(try join(count, in: &state, after: .failed).requests <= max(count, 5))
        for _ in 0..<3 {
            #expect(try join(count, in: &state, after: .failed).requests == 1, "it has been tried")
        }
        _ = state.add([1], of: "a", 0, most: 200, at: Instant(nanoseconds: 0)) { true }
        _ = state.ended("a", .answered)
        let requests = try join(count, in: &state, after: .failed).requests
        #expect(requests > 1, "something has been answered since")
    }

    @Test(arguments: 1...TestSize.of(20, release: 60) as ClosedRange<UInt64>)
    func aBadIDFailsAlone(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var state = BatchState<String, Int>()
        let count = Int.random(in: 2...40, using: &random)
        let bad = Int.random(in: 1...count, using: &random)
        let failed = try join(count, in: &state, after: .answered) { !$0.contains(bad) }.failed
        #expect(failed == [bad] && state.count == 0, "seed \(seed)")
    }
}
