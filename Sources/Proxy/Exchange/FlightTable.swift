import Cache
import EventLoop

// Which keys are being fetched, who waits for the answers, and which keys are not worth waiting for. Pure.
// Must hold: one leader a key, unless one has been out for so long that another is sent after it; whoever landed, no waiter is
// left behind; waiters, and what is remembered of keys, are bounded.

/// Collapsing (RFC 9111 4, last paragraphs): requests for one key wait for the first of them.
struct FlightTable<Waiter> {
    /// One leader's request.
    struct FlightID: Hashable {
        fileprivate let number: Int
    }

    enum Joining: Equatable {
        /// Ask the origin, and `land`.
        case lead(FlightID)
        /// Another does; `land` hands the waiter out.
        case wait
        /// Ask for yourself: answers to this key were of no use to others a moment ago (hit-for-miss).
        case alone
        /// Too many wait for this key.
        case full
    }

    private struct Flight {
        var leaders: [FlightID]
        /// When the last leader left.
        var departed: Instant
        var waiters: [Waiter] = []
        /// What the leaders bring was made invalid while they were out.
        var isSpoilt = false
    }

    /// What is remembered of a key for a while.
    private struct Mark {
        var isUncollapsibleUntil: Instant?
        var isRefreshedAgainAt: Instant?
    }

    private var flights: [CacheKey: Flight] = [:]
    private var marks: [CacheKey: Mark] = [:]
    private var lastNumber = 0

    /// How long a leader keeps others waiting before one of them may try anew (HARDENING 3, stale lock).
    static var patience: Duration { .seconds(5) }
    /// How long an uncacheable answer keeps its key from being waited for (HARDENING 3).
    static var hitForMiss: Duration { .seconds(10) }
    /// The pause after a refresh that failed: an origin in trouble is not asked by every hit.
    static var refreshPause: Duration { .seconds(5) }
    static var maxWaiters: Int { 1_000 }
    static var maxMarks: Int { 4_096 }

    /// Keys being fetched.
    var count: Int { flights.count }

    /// A client wants the answer to `key`.
    mutating func join(_ key: CacheKey, now: Instant, _ waiter: Waiter) -> Joining {
        if let until = marks[key]?.isUncollapsibleUntil, now < until { return .alone }
        guard let waiting = flights[key]?.waiters.count else { return .lead(depart(key, now)) }
        guard waiting < Self.maxWaiters else { return .full }
        flights[key]?.waiters.append(waiter)
        return .wait
    }

    /// A stale answer was served: whether to ask for a newer one, which one request at a time does.
    mutating func refresh(_ key: CacheKey, now: Instant) -> FlightID? {
        guard flights[key] == nil else { return nil }
        if let again = marks[key]?.isRefreshedAgainAt, now < again { return nil }
        return depart(key, now)
    }

    /// A waiter has lost its patience: it may lead when the last leader has been out for long enough. Nil: wait on.
    mutating func takeOver(_ key: CacheKey, now: Instant) -> FlightID? {
        guard let flight = flights[key], now >= flight.departed + Self.patience else { return nil }
        lastNumber += 1
        let id = FlightID(number: lastNumber)
        flights[key]?.leaders.append(id)
        flights[key]?.departed = now
        return id
    }

    /// What leaders bring for a target that everyone shares is out of date, in all variants: an unsafe method changed it
    /// (RFC 9111 4.4).
    mutating func spoil(_ target: [UInt8]) {
        for key in flights.keys where !key.isPersonal && key.target.elementsEqual(target) {
            flights[key]?.isSpoilt = true
        }
    }

    func isSpoilt(_ key: CacheKey) -> Bool {
        flights[key]?.isSpoilt ?? false
    }

    /// How a leader's request ended.
    enum Landing {
        /// The answer serves those who waited.
        case shared
        /// It serves the leader alone; for a while nobody waits for this key.
        case uncollapsible
        /// There was none: those who waited hear the same.
        case failed
    }

    /// A leader is back. Returns all who waited.
    mutating func land(_ key: CacheKey, _ id: FlightID, _ landing: Landing, now: Instant) -> [Waiter] {
        guard var flight = flights[key], let index = flight.leaders.firstIndex(of: id) else { return [] }
        mark(key, landing, now)
        flight.leaders.remove(at: index)
        let waiters = flight.waiters
        flight.waiters = []
        flights[key] = flight.leaders.isEmpty ? nil : flight
        return waiters
    }

    private mutating func depart(_ key: CacheKey, _ now: Instant) -> FlightID {
        lastNumber += 1
        let id = FlightID(number: lastNumber)
        flights[key] = Flight(leaders: [id], departed: now)
        return id
    }

    private mutating func mark(_ key: CacheKey, _ landing: Landing, _ now: Instant) {
        switch landing {
        case .shared: marks[key] = nil
        case .uncollapsible: remember(key, Mark(isUncollapsibleUntil: now + Self.hitForMiss), now)
        case .failed: remember(key, Mark(isRefreshedAgainAt: now + Self.refreshPause), now)
        }
    }

    /// What does not fit is not remembered: it costs a wait or a request, and no wrong answer.
    private mutating func remember(_ key: CacheKey, _ mark: Mark, _ now: Instant) {
        if marks.count >= Self.maxMarks {
            marks = marks.filter { now < ($0.value.isUncollapsibleUntil ?? $0.value.isRefreshedAgainAt ?? now) }
        }
        if marks.count < Self.maxMarks || marks[key] != nil { marks[key] = mark }
    }
}
