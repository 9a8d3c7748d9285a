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

        private mutating func words(_ batch: State.Batch?) -> String {
            guard let batch else { return "nothing" }
            batches.append(batch)
            let ids = batch.ids.map { String(decoding: $0, as: UTF8.self) }
            return "send " + ids.joined(separator: " ") + (ids.count < batch.members.count ? " for more" : "")
        }
    }

    @Test func aLoneMissGoesAtOnceHoweverSoonTheOneBeforeItEnded() {
        var script = Script()
        for number in 1...5 {
            #expect(script.add(number) == "alone")
            script.wait(0.5)
            #expect(script.ended() == "nothing")
            #expect(script.count == 0)
        }
    }

    @Test func aMissWaitsBehindAnotherThatIsUnderWay() {
        var script = Script()
        #expect(script.add(1) == "alone")
        script.wait(40)
        #expect(script.add(2) == "wake after 4.0 ms")
        #expect(script.add(3) == "wait")
    }

    @Test func aBatchGoesWhenNothingIsUnderWay() {
        var script = Script()
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
    }

    @Test func aLateMissJoinsTheBatchThatIsDue() {
        var script = Script()
        _ = (script.add(1), script.add(2))
        script.wait(9)
        #expect(script.add(3) == "wait", "the loop was busy")
        #expect(script.due() == "send 2 3")
    }

    @Test func aFullBatchGoesAtOnce() {
        var script = Script()
        _ = (script.add(1, most: 2), script.add(2, most: 2))
        #expect(script.add(3, most: 2) == "send 2 3")
        script.wait(4)
        #expect(script.due() == "nothing")
    }

    /// The moment of a batch that was full, or that went at an end, is not that of the next one.
    @Test func anOldTimerDoesNotSendTheNextBatch() {
        var script = Script()
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

    @Test func kindsShareNothing() {
        var script = Script()
        #expect(script.add(1) == "alone")
        #expect(script.add(1, of: "albums") == "alone")
        #expect(script.add(2) == "wake after 4.0 ms")
        #expect(script.ended("albums") == "nothing")
        #expect(script.due("albums") == "nothing")
        #expect(script.ended() == "send 2")
    }

    @Test func aMissThatMayNotWaitGoesAlone() {
        var script = Script()
        _ = (script.add(1), script.add(2))
        #expect(script.add(3, mayWait: false) == "alone")
        #expect(script.ended() == "nothing")
        #expect(script.ended() == "send 2")
    }

    @Test func oneIDAskedForTwiceStandsInItOnce() {
        var script = Script()
        _ = (script.add(1), script.add(2), script.add(2))
        #expect(script.ended() == "send 2 for more")
        #expect(script.halve() == "nothing")
    }

    /// A waiting request does not take the end of one half for that of the batch.
    @Test func aBatchIsUnderWayUntilItsHalvesHaveEnded() {
        var script = Script()
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

    /// Halves of halves end with single ids, and no request is lost on the way.
    @Test func halvingLosesNoRequest() throws {
        var state = BatchState<String, Int>()
        let now = Instant(nanoseconds: 0)
        for number in 0..<14 {
            _ = state.add(Array("\(number)".utf8), of: "songs", number, most: 100, at: now) { true }
        }
        let first = state.ended("songs", .answered)
        var (open, single) = ([try #require(first)], [Int]())
        while let batch = open.popLast() {
            if let (one, other) = state.halve(batch) {
                #expect(one.ids.count + other.ids.count == batch.ids.count && abs(one.ids.count - other.ids.count) <= 1)
                open += [one, other]
            } else {
                single += batch.members.map(\.member)
                #expect(state.ended("songs", .failed) == nil)
            }
        }
        #expect(single.sorted() == Array(1..<14))
        #expect(state.count == 0)
    }

    /// An origin that answers nothing is not asked for twice as much.
    @Test(arguments: [2, 4, 11, 100]) func whileEverythingFailsLittleIsTakenApart(count: Int) throws {
        let now = Instant(nanoseconds: 0)
        var state = BatchState<String, Int>()
        func fail(_ whole: BatchState<String, Int>.Batch) -> Int {
            var (open, requests) = ([whole], 0)
            while let batch = open.popLast() {
                requests += 1
                if let (one, other) = state.halve(batch) {
                    open += [one, other]
                } else {
                    _ = state.ended("a", .failed)
                }
            }
            return requests
        }
        func batch() throws -> BatchState<String, Int>.Batch {
            for number in 0...count {
                _ = state.add(Array("\(number)".utf8), of: "a", number, most: 200, at: now) { true }
            }
            let batch = state.ended("a", .failed)
            return try #require(batch)
        }
        #expect(try fail(batch()) <= max(count, 5))
        for _ in 0..<3 { #expect(try fail(batch()) == 1, "it has been tried") }
        _ = state.add([1], of: "a", 0, most: 200, at: now) { true }
        _ = state.ended("a", .answered)
        #expect(try fail(batch()) > 1, "something has been answered since")
    }

    @Test(arguments: 1...TestSize.of(20, release: 60) as ClosedRange<UInt64>)
    func aBadIDFailsAlone(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var state = BatchState<String, Int>()
        let count = Int.random(in: 2...40, using: &random)
        let bad = Int.random(in: 1...count, using: &random)
        for number in 0...count {
            _ = state.add(
                Array("\(number)".utf8), of: "a", number, most: 200, at: Instant(nanoseconds: 0)
            ) { true }
        }
        let first = state.ended("a", .answered)
        var (open, failed) = ([try #require(first)], Set<Int>())
        while let batch = open.popLast() {
            let isGood = !batch.members.contains { $0.member == bad }
            if !isGood, let (one, other) = state.halve(batch) {
                open += Bool.random(using: &random) ? [one, other] : [other, one]
            } else {
                if !isGood { failed.formUnion(batch.members.map(\.member)) }
                _ = state.ended("a", isGood ? .answered : .failed)
            }
        }
        #expect(failed == [bad] && state.count == 0, "seed \(seed)")
    }
}
