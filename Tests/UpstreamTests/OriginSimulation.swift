import EventLoop
import TestSupport

@testable import Upstream

/// An origin with a limit of requests a second, asked through a budget.
///
/// Its clients never run out of questions. Time is virtual, and chance comes from a seed.
struct OriginSimulation {
    private enum Event {
        case tick
        case arrival(BudgetState.JobID, sentAt: Int64)
        case answer(BudgetState.JobID, isRefused: Bool)
    }

    var origin: LimitedOrigin
    /// The average time of a round trip; each is up to 40 % shorter or longer.
    let latency: Duration
    var budget: BudgetState
    private(set) var counts = SimulationCounts()
    private var random: SeededGenerator
    private var events = TimeOrdered<Event>()
    private var now: Int64
    private var nextJob = 0
    private var isTicking = false

    /// Requests that wait at any time.
    private static let waiting = 8

    init(_ origin: LimitedOrigin, latency: Duration, rate: Int? = nil, seed: UInt64) {
        (self.origin, self.latency) = (origin, latency)
        budget = BudgetState(rate: rate, maxWaiting: 1000, maxWaitingInBackground: 100)
        random = SeededGenerator(seed: seed)
        now = 1_000_000_000_000 + Int64.random(in: 0..<1_000_000_000, using: &random)
        // Two loops.
        for _ in 0..<2 { _ = budget.addLane(connections: 32) }
    }

    private var instant: Instant { Instant(nanoseconds: now) }

    /// Simulates this span, and returns its counts.
    mutating func run(_ span: Duration) -> SimulationCounts {
        let before = counts
        let end = now + span.wholeNanoseconds
        ask()
        while let (time, event) = events.popFirst(before: end) {
            now = time
            handle(event)
        }
        now = end
        return counts.since(before)
    }

    /// Keeps clients waiting.
    private mutating func ask() {
        while budget.waitingCount < Self.waiting {
            nextJob += 1
            perform(budget.submit(BudgetState.JobID(lane: nextJob % 2, number: nextJob), .waitingClient, now: instant))
        }
        guard let wakeAt = budget.wakeAt, !isTicking else { return }
        isTicking = true
        // Timers are late.
        events.insert(.tick, at: wakeAt.nanoseconds + Int64.random(in: 0...2_000_000, using: &random))
    }

    private mutating func perform(_ actions: ActionList<BudgetState.Action>) {
        for case .start(let job) in actions {
            events.insert(.arrival(job, sentAt: now), at: now + halfTrip())
        }
    }

    private mutating func halfTrip() -> Int64 {
        let half = latency.wholeNanoseconds / 2
        return Int64.random(in: half * 6 / 10...half * 14 / 10, using: &random)
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .tick:
            isTicking = false
            perform(budget.tick(now: instant))
        case .arrival(let job, let sentAt):
            events.insert(.answer(job, isRefused: !origin.allows(now)), at: now + (now - sentAt))
        case .answer(let job, let isRefused):
            counts.refused += isRefused ? 1 : 0
            counts.answered += isRefused ? 0 : 1
            perform(budget.end(job, isRefused ? .rateLimited() : .answered, now: instant))
        }
        ask()
    }
}
