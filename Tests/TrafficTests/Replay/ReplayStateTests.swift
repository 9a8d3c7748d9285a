import EventLoop
import Testing

@testable import Traffic

/// Scripts of events and expected steps.
@Suite struct ReplayStateTests {
    private static let millisecond: Int64 = 1_000_000

    private static func state(
        _ pace: ReplayPace, requests: Int = 4, connections: Int = 2, duration: Duration? = nil, repeats: Bool = false
    ) -> ReplayState {
        // 10 ms apart.
        let offsets = (0..<requests).map { Duration.milliseconds(10 * $0) }
        return ReplayState(
            Schedule(recorded: offsets, pace: pace, duration: duration, repeats: repeats), mostConnections: connections)
    }

    /// The same with a connection that is open, and the first request sent over it at once.
    private static func begun(_ pace: ReplayPace, requests: Int = 4, connections: Int = 2) -> ReplayState {
        var state = state(pace, requests: requests, connections: connections)
        _ = state.begin()
        _ = state.next(at: 0)
        return state
    }

    @Test func aRequestWithoutAConnectionIsToldOnceAndOpensOne() {
        var state = Self.begun(.recorded(speed: 1))
        let late = 25 * Self.millisecond
        #expect(state.next(at: late) == .held(position: 1))
        #expect(state.next(at: late) == .held(position: 2))
        #expect(state.next(at: late) == .open(connection: 1))
        // Two are the most.
        #expect(state.next(at: late) == .wait(until: 30 * Self.millisecond))
        state.opened(1)
        #expect(state.next(at: late) == .send(position: 1, connection: 1, wasHeld: true))
        state.answered(0, stays: true)
        #expect(state.next(at: late) == .send(position: 2, connection: 0, wasHeld: true))
        #expect(state.next(at: late) == .wait(until: 30 * Self.millisecond))
        // The one used last is used next.
        for connection in [0, 1] { state.answered(connection, stays: true) }
        #expect(state.next(at: 30 * Self.millisecond) == .send(position: 3, connection: 1, wasHeld: false))
    }

    @Test func aFailedOrClosedConnectionIsNotUsed() {
        var state = Self.begun(.recorded(speed: 1))
        let late = 10 * Self.millisecond
        #expect(state.next(at: late) == .held(position: 1) && state.next(at: late) == .open(connection: 1))
        #expect(state.couldNotOpen(1, at: late) == 1)
        #expect(state.next(at: late) == .wait(until: 20 * Self.millisecond))
        state = Self.begun(.recorded(speed: 1), requests: 2)
        state.answered(0, stays: true)
        state.lost(0)
        #expect(state.next(at: late) == .held(position: 1) && state.next(at: late) == .open(connection: 0))
    }

    @Test func aRequestThatWaitedTooLongIsGivenUp() {
        var state = Self.begun(.recorded(speed: 1), connections: 1)
        while state.next(at: 30 * Self.millisecond) != .wait(until: nil) {}
        #expect(state.giveUp(dueBefore: 20 * Self.millisecond) == 1)
        #expect(state.giveUp(dueBefore: 20 * Self.millisecond) == nil)
        state.answered(0, stays: true)
        #expect(state.next(at: 30 * Self.millisecond) == .send(position: 2, connection: 0, wasHeld: true))
    }

    @Test func aClosedLoopKeepsAllItsClientsBusy() {
        var state = Self.state(.closed, connections: 3)
        _ = state.begin()
        #expect(state.next(at: 0) == .send(position: 0, connection: 0, wasHeld: false))
        #expect(state.next(at: 0) == .open(connection: 1) && state.next(at: 0) == .open(connection: 2))
        #expect(state.next(at: 0) == .wait(until: nil))
        state.opened(2)
        #expect(state.next(at: 1) == .send(position: 1, connection: 2, wasHeld: false))
        state.answered(0, stays: false)
        #expect(state.next(at: 2) == .open(connection: 0))
        state.answered(2, stays: true)
        #expect(state.next(at: 3) == .send(position: 2, connection: 2, wasHeld: false))
        state.opened(1)
        #expect(state.next(at: 4) == .send(position: 3, connection: 1, wasHeld: false))
        #expect(state.next(at: 4) == .wait(until: nil))
        state.answered(1, stays: true)
        state.answered(2, stays: true)
        #expect(state.next(at: 5) == .finished)
    }

    @Test func aClosedLoopEndsWithItsDuration() {
        var state = Self.state(.closed, connections: 1, duration: .milliseconds(5), repeats: true)
        _ = state.begin()
        for round in 0..<6 {
            #expect(state.next(at: 0) == .send(position: round, connection: 0, wasHeld: false))
            state.answered(0, stays: true)
        }
        #expect(state.next(at: 5 * Self.millisecond) == .finished)
    }

    @Test func aClosedLoopDoesNotHammerATargetThatIsDown() {
        var state = Self.begun(.closed, connections: 1)
        state.answered(0, stays: false)
        #expect(state.next(at: 0) == .open(connection: 0))
        #expect(state.couldNotOpen(0, at: 0) == 1)
        #expect(state.next(at: 0) == .wait(until: ReplayState.dialPause))
        #expect(state.next(at: ReplayState.dialPause) == .open(connection: 0))
    }

    /// A target that answers each request in a millisecond, but for one that it keeps for half a
    /// second, and takes one at a time.
    @Test func theStallOfATargetIsSeenByAllThatWereDueMeanwhile() {
        let schedule = Schedule(recorded: (0..<200).map { .milliseconds(10 * $0) }, pace: .recorded(speed: 1))
        var (corrected, uncorrected, lag) = (Histogram(), Histogram(), Histogram())
        OneAtATime { ($0 == 20 ? 500 : 1) * Self.millisecond }.play(schedule) { event in
            switch event {
            case .lag(let late): lag.record(nanoseconds: late)
            case .sent: break
            case .answered(let position, let sentAt, let now):
                corrected.record(nanoseconds: now - (schedule.due(position) ?? 0))
                uncorrected.record(nanoseconds: now - sentAt)
            }
        }
        func slow(_ histogram: Histogram) -> Int {
            histogram.occupied.reduce(0) { $0 + ($1.lowest > Int(2 * Self.millisecond) ? $1.count : 0) }
        }
        // Request 20, and 55 after it: the first of them is 491 ms late, and each works off 9 ms.
        #expect(slow(uncorrected) == 1 && slow(corrected) == 56)
        #expect((uncorrected.quantile(0.99) ?? 0) / 1_000_000 == 1)
        // The third slowest of 200.
        #expect((corrected.quantile(0.99) ?? 0) / 1_000_000 == 482)
        #expect(lag.count == 200 && lag.maximum == 0)
    }
}

/// A target that takes one request at a time, and a run against it over one connection, in a time
/// that is only counted.
struct OneAtATime {
    enum Event {
        /// How long after it was due the run got to a request.
        case lag(Int64)
        case sent(at: Int64)
        case answered(position: Int, sentAt: Int64, at: Int64)
    }

    /// How long the target takes for the request of this number, in nanoseconds.
    let latency: (_ position: Int) -> Int64

    /// Plays all requests.
    func play(_ schedule: Schedule, _ note: (Event) -> Void) {
        var state = ReplayState(schedule, mostConnections: 1)
        var now: Int64 = 0
        var answer: (position: Int, sentAt: Int64, at: Int64)?
        _ = state.begin()
        while true {
            switch state.next(at: now) {
            case .send(let position, _, let wasHeld):
                if !wasHeld { note(.lag(now - (schedule.due(position) ?? now))) }
                note(.sent(at: now))
                answer = (position, now, now + latency(position))
            case .held(let position): note(.lag(now - (schedule.due(position) ?? now)))
            case .wait(let until):
                if let arrived = answer, arrived.at <= until ?? .max {
                    now = arrived.at
                    answer = nil
                    note(.answered(position: arrived.position, sentAt: arrived.sentAt, at: now))
                    state.answered(0, stays: true)
                } else {
                    now = until ?? now
                }
            case .open:
                Issue.record("one connection, which stays")
                return
            case .finished: return
            }
        }
    }
}

@Suite struct ReplayTimelineTests {
    private static let millisecond: Int64 = 1_000_000

    private static func slots(_ timeline: ReplayTimeline) -> [ReplayResult.Slot] {
        var (timeline, result) = (timeline, ReplayResult.empty())
        timeline.fill(&result)
        return result.slots
    }

    /// A stall of two seconds was a gap in the chart, with one high step after it: latencies were
    /// drawn at the times of the answers. A hundred requests a second, each answered in a
    /// millisecond but for the hundredth.
    @Test func aStallIsDrawnWhenItsRequestsWereDue() throws {
        let schedule = Schedule(recorded: (0..<500).map { .milliseconds(10 * $0) }, pace: .recorded(speed: 1))
        var timeline = ReplayTimeline(expecting: schedule.expectedLength)
        OneAtATime { ($0 == 100 ? 2000 : 1) * Self.millisecond }.play(schedule) { event in
            switch event {
            case .lag: break
            case .sent(let now): timeline.noteSent(at: now)
            case .answered(let position, _, let now):
                timeline.noteAnswer(latency: now - (schedule.due(position) ?? 0), side: .hit, at: now)
            }
        }
        let slots = Self.slots(timeline)
        try #require(timeline.slotLength == 100 * Self.millisecond && slots.count == 50)
        // Latencies leave no gap: requests that are due in a stall are answered after it.
        #expect(slots.allSatisfy { $0.median != nil && $0.p99 != nil && $0.maximum != nil })
        #expect(slots[9].maximum == 1_000_000 && slots[10].maximum == 2_000_000_000)
        // Each was due 10 ms after the one before it, and answered 1 ms after it.
        for (index, slot) in slots[10..<30].enumerated() {
            #expect(slot.maximum.map { $0 / 1_000_000 } == 2000 - 90 * index, "slot \(10 + index)")
        }
        #expect((slots[15].median ?? 0) > 1_450_000_000 && (slots[15].p99 ?? 0) > 1_500_000_000)
        #expect(slots.last?.maximum == 1_000_000)
        // Counts are of what happened meanwhile: nothing.
        #expect(slots[11..<30].allSatisfy { $0.sent == 0 && $0.answered == 0 })
        #expect(slots[30].answered == 100 && slots[30].hits == 100)
        #expect(slots.reduce(0) { $0 + $1.answered } == 500 && slots.reduce(0) { $0 + $1.sent } == 500)
    }

    @Test func figuresOfASlotAreCloseToTheRecordedOnes() {
        for latency in [0, 15, 16, 1023, 2047, 2048, 65_537, 1_234_567, 987_654_321, 30_000_000_000] as [Int64] {
            var timeline = ReplayTimeline(expecting: .seconds(3))
            for _ in 0..<99 { timeline.noteAnswer(latency: latency, side: nil, at: latency) }
            timeline.noteAnswer(latency: 2 * latency + 1000, side: nil, at: 2 * latency + 1000)
            let slot = Self.slots(timeline)[0]
            let most = latency + max(16, latency * 16 / 1000)
            #expect((latency...most).contains(Int64(slot.median ?? -1)), "\(latency)")
            #expect(slot.median == slot.p99 && slot.maximum == Int(2 * latency + 1000), "\(latency)")
        }
    }

    /// If the end of a run is not known, `mostOpen` slots are kept open, and no more.
    @Test func anAnswerThatComesAfterItsSlotWasClosedIsTheLargestOfIt() throws {
        let second: Int64 = 1_000_000_000
        var timeline = ReplayTimeline(expecting: nil)
        let last = Int64(ReplayTimeline.mostOpen)
        timeline.noteAnswer(latency: 1000, side: .miss, at: 1000)
        for index in 1...last { timeline.noteAnswer(latency: 1000, side: .miss, at: index * second + 1000) }
        timeline.noteAnswer(latency: last * second, side: .miss, at: last * second)
        let slots = Self.slots(timeline)
        try #require(slots.count == ReplayTimeline.mostOpen + 1)
        #expect(slots[0].p99 == 1000 && slots[0].maximum == Int(last * second))
    }
}

@Suite struct ScheduleTests {
    private static let recorded: [Duration] = [.seconds(5), .milliseconds(5100), .milliseconds(5100), .seconds(6)]

    private static func times(_ schedule: Schedule, _ count: Int) -> [Int64?] {
        (0..<count).map { schedule.due($0).map { $0 / 1_000_000 } }
    }

    @Test func requestsKeepTheirDistanceOrARate() {
        var schedule = Schedule(recorded: Self.recorded, pace: .recorded(speed: 1))
        #expect(Self.times(schedule, 4) == [0, 100, 100, 1000] && schedule.count == 4)
        #expect(schedule.expectedLength == .seconds(1))
        schedule = Schedule(
            recorded: Self.recorded, pace: .rate(RequestRate(perSecond: 3)), duration: .seconds(3600), repeats: true)
        #expect(Self.times(schedule, 4) == [0, 333, 666, 1000])
        #expect(schedule.due(3 * 3599) == 3_599_000_000_000 && schedule.count == 3 * 3600)
        schedule = Schedule(recorded: [.seconds(9)], pace: .recorded(speed: 2), duration: .seconds(3), repeats: true)
        #expect(Self.times(schedule, 3) == [0, 1000, 2000] && schedule.count == 3)
    }

    @Test(arguments: [(10.0, [0, 10, 10, 100]), (0.5, [0, 200, 200, 2000])])
    func speedDividesEveryTime(_ speed: Double, _ expected: [Int64]) {
        #expect(Self.times(Schedule(recorded: Self.recorded, pace: .recorded(speed: speed)), 4) == expected)
    }

    @Test func aRoundBeginsOneMeanDistanceAfterTheLast() {
        let schedule = Schedule(
            recorded: Self.recorded, pace: .recorded(speed: 1), duration: .seconds(3), repeats: true)
        #expect(Self.times(schedule, 9).map { $0 ?? -1 } == [0, 100, 100, 1000, 1333, 1433, 1433, 2333, 2666])
        #expect((0..<9).map(schedule.index) == [0, 1, 2, 3, 0, 1, 2, 3, 0])
        // 2666, 2766, 2766 and not 3666.
        #expect(schedule.count == 11)
    }

    @Test func nothingIsDueWhenTheDurationIsOver() {
        let short = Schedule(recorded: Self.recorded, pace: .recorded(speed: 1), duration: .milliseconds(100))
        #expect(short.count == 1)
        #expect(
            Schedule(recorded: Self.recorded, pace: .rate(RequestRate(perSecond: 10)), duration: .milliseconds(101))
                .count == 2)
        #expect(
            Schedule(recorded: Self.recorded, pace: .rate(RequestRate(perSecond: 10)), duration: .seconds(60)).count
                == 4)
    }

    /// The space after the last request is a part of the time: four requests at 10/s take 400 ms.
    @Test func aPaceLastsUntilOneMoreRequestWouldBeDue() {
        func length(_ pace: ReplayPace, _ duration: Duration? = nil, repeats: Bool = false) -> Duration? {
            Schedule(recorded: Self.recorded, pace: pace, duration: duration, repeats: repeats).pacedLength
        }
        let rate = ReplayPace.rate(RequestRate(perSecond: 10))
        #expect(length(rate) == .milliseconds(400) && length(rate, .seconds(60)) == .milliseconds(400))
        #expect(length(rate, .seconds(2), repeats: true) == .seconds(2) && length(.closed) == nil)
        #expect(length(.recorded(speed: 1)) == .nanoseconds(1_333_333_333))
        #expect(length(.recorded(speed: 1), .milliseconds(500)) == .milliseconds(500))
    }

    @Test func aClosedLoopHasNoTimesAndAnEndOnlyByDuration() {
        let once = Schedule(recorded: Self.recorded, pace: .closed)
        #expect(once.due(1) == nil && once.count == 4 && once.end == nil && once.expectedLength == nil)
        let loop = Schedule(recorded: Self.recorded, pace: .closed, duration: .seconds(2), repeats: true)
        #expect(loop.count == nil && loop.end == 2_000_000_000 && loop.expectedLength == .seconds(2))
    }

    /// An entry of a HAR file from the year 1, or a speed of a thousandth, trapped in the
    /// conversion.
    @Test(arguments: [1e-300, 0.001, 1, 1e9])
    func timesBeyondAnyWaitTrapped(_ speed: Double) {
        let recorded = [Duration.seconds(-63_000_000_000), .zero, .seconds(9_000_000_000_000)]
        for repeats in [false, true] {
            let schedule = Schedule(
                recorded: recorded, pace: .recorded(speed: speed), duration: repeats ? .seconds(1) : nil,
                repeats: repeats)
            #expect(schedule.due(0) == 0 && (schedule.due(2) ?? 0) >= (schedule.due(1) ?? 0))
            #expect((schedule.count ?? 0) >= 1)
        }
    }
}
