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

    @Test func requestsGoWhenTheyAreDueOverTheConnectionUsedLast() {
        var state = Self.state(.recorded(speed: 1))
        #expect(state.begin() == 0)
        #expect(state.next(at: 0) == .send(position: 0, connection: 0, wasHeld: false))
        #expect(state.next(at: 0) == .wait(until: 10 * Self.millisecond))
        state.answered(0, stays: true)
        #expect(state.next(at: 10 * Self.millisecond) == .send(position: 1, connection: 0, wasHeld: false))
    }

    @Test func whatFindsNoConnectionIsToldOnceAndOpensOne() {
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
    }

    @Test func itIsOverWhenTheLastAnswerHasCome() {
        var state = Self.begun(.rate(RequestRate(perSecond: 100)), requests: 1)
        #expect(state.next(at: 0) == .wait(until: nil))
        state.answered(0, stays: false)
        #expect(state.next(at: 0) == .finished)
    }

    @Test func aFailedConnectionFailsTheFirstThatWaits() {
        var state = Self.begun(.recorded(speed: 1))
        let late = 10 * Self.millisecond
        #expect(state.next(at: late) == .held(position: 1) && state.next(at: late) == .open(connection: 1))
        #expect(state.couldNotOpen(1, at: late) == 1)
        #expect(state.next(at: late) == .wait(until: 20 * Self.millisecond))
    }

    @Test func aRequestThatWaitedTooLongIsGivenUp() {
        var state = Self.begun(.recorded(speed: 1), connections: 1)
        while state.next(at: 30 * Self.millisecond) != .wait(until: nil) {}
        #expect(state.giveUp(dueBefore: 20 * Self.millisecond) == 1)
        #expect(state.giveUp(dueBefore: 20 * Self.millisecond) == nil)
        state.answered(0, stays: true)
        #expect(state.next(at: 30 * Self.millisecond) == .send(position: 2, connection: 0, wasHeld: true))
    }

    @Test func aConnectionThatTheTargetClosedIsNotUsed() {
        var state = Self.begun(.recorded(speed: 1), requests: 2)
        state.answered(0, stays: true)
        state.lost(0)
        let late = 10 * Self.millisecond
        #expect(state.next(at: late) == .held(position: 1) && state.next(at: late) == .open(connection: 0))
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
        let schedule = Schedule(
            recorded: (0..<200).map { .milliseconds(10 * $0) }, pace: .recorded(speed: 1))
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
