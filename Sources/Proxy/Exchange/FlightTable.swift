import Cache
import EventLoop
import Text

// Which keys are being fetched, who waits for the answers, and which keys are not worth waiting
// for. Pure.
// Must hold: one leader a key, unless one has been out for so long that another is sent after it;
// however a flight finishes, no waiter is left behind; no flight is joined that began before a
// purge or a change of its target; what all waiters hold, and what is remembered of keys, is
// bounded.

/// Traits that requests share if one of them waits for another.
struct FlightKey: NumberedKey {
    let key: CacheKey
    /// Number of the client whose token goes along (`ClientToken`).
    let token: UInt64

    init(_ key: CacheKey, token: UInt64 = ClientToken.none) {
        (self.key, self.token) = (key, token)
    }

    /// Both are keyed hashes.
    var hashNumber: UInt64 { key.hash ^ token }
}

/// One flight among those of the process; never used again.
struct FlightNumber: NumberedKey {
    fileprivate let number: Int
    var hashNumber: UInt64 { UInt64(truncatingIfNeeded: number) }
}

/// Collapsing (RFC 9111 4, last paragraphs): requests for one key wait for the first of them.
struct FlightTable<Waiter> {
    /// One leader's request.
    struct FlightID: Hashable {
        /// Shared by all leaders of the flight.
        let flight: FlightNumber
        fileprivate let leader: Int
    }

    /// Where one waits: a flight, and which of those that wait for it one after another.
    struct Seat: Hashable {
        let flight: FlightNumber
        fileprivate let round: Int
    }

    enum Joining: Equatable {
        /// Ask the origin, and `finish`.
        case lead(FlightID)
        /// Another does; `finish` hands the waiter out.
        case wait
        /// Ask for yourself, and `finish`: answers to this key were of no use to others a moment
        /// ago (hit-for-miss).
        case alone(FlightID)
        /// All that wait hold as many bytes as they may.
        case full
    }

    private struct Flight {
        let key: FlightKey
        /// The cache's count of purges when it left.
        let epoch: Int
        /// Mostly one.
        var leaders: [Int]
        /// When the last leader left.
        var begun: Instant
        var waiters: [Waiter] = []
        /// Bytes that they hold.
        var waitingBytes = 0
        /// Those of them whose clients have left.
        var gone = 0
        /// How often they have been told, while another leader was out.
        var round = 0
        /// Whether others could wait for it: only then does its end say what waiting for the key is
        /// worth.
        let isJoinable: Bool
        /// The leaders' answer was made invalid while they were out.
        var isInvalid = false
    }

    /// A note about a key, kept for a while.
    private struct Mark {
        /// Until then no request waits for the key (hit-for-miss).
        var uncollapsibleUntil: Instant
        /// From then on it is refreshed again.
        var refreshableFrom: Instant
    }

    private var flights: [FlightNumber: Flight] = [:]
    /// The flights that others may join.
    private var open: [FlightKey: FlightNumber] = [:]
    private var marks: [FlightKey: Mark] = [:]
    private var lastNumber = 0
    /// Bytes held by the waiters of all flights.
    private(set) var waitingBytes = 0

    /// How long a leader keeps others waiting before one of them may try anew (FRAMING 6.2).
    static var patience: Duration { .seconds(5) }
    /// How long an uncacheable answer keeps its key from being waited for (FRAMING 6.3).
    static var hitForMiss: Duration { .seconds(10) }
    /// The pause after a refresh that brought nothing to store: an origin in trouble is not asked
    /// by every hit.
    static var refreshPause: Duration { .seconds(5) }
    /// Bytes that all waiters may hold together.
    static var maxWaitingBytes: Int { ProxyMemory.waitingBytes }
    /// Memory of a waiter without its request's bytes: the exchange with its state, the request to
    /// the origin, and its place here. The input of its connection is the connection's.
    static var bytesPerWaiter: Int { 4 << 10 }
    static var maxMarks: Int { 4_096 }

    /// Requests that are out.
    var count: Int { flights.count }

    /// A client wants the answer to `key`. `epoch` counts the cache's purges; `bytes` are those of
    /// the request that the waiter holds.
    mutating func join(_ key: FlightKey, epoch: Int, now: Instant, bytes: Int = 0, _ waiter: Waiter) -> Joining {
        if let until = marks[key]?.uncollapsibleUntil, now < until { return .alone(begin(key, epoch, now)) }
        guard let number = openFlight(key, epoch), let index = flights.index(forKey: number) else {
            return .lead(lead(key, epoch, now))
        }
        let held = Self.bytesPerWaiter + bytes
        guard waitingBytes + held <= Self.maxWaitingBytes else { return .full }
        waitingBytes += held
        flights.values[index].waitingBytes += held
        flights.values[index].waiters.append(waiter)
        return .wait
    }

    /// The client of one that waits for a flight has left, which is told of the end all the same.
    /// - Returns: whether no client waits for the flight any more.
    mutating func waiterLeft(_ seat: Seat) -> Bool {
        guard let index = flights.index(forKey: seat.flight), flights.values[index].round == seat.round else {
            return false
        }
        flights.values[index].gone += 1
        return flights.values[index].gone >= flights.values[index].waiters.count
    }

    /// The client of this leader has left before anything was sent: whether no other waits for what
    /// it brings. From then on none can; it has to `finish`.
    mutating func abandon(_ id: FlightID) -> Bool {
        guard let index = flights.index(forKey: id.flight) else { return true }
        let flight = flights.values[index]
        guard flight.leaders == [id.leader], flight.gone >= flight.waiters.count else { return false }
        if open[flight.key] == id.flight { open[flight.key] = nil }
        return true
    }

    /// A stale answer was served: whether to ask for a newer one, which one request at a time does.
    mutating func refresh(_ key: FlightKey, epoch: Int, now: Instant) -> FlightID? {
        guard openFlight(key, epoch) == nil else { return nil }
        if let from = marks[key]?.refreshableFrom, now < from { return nil }
        return lead(key, epoch, now)
    }

    /// Whether a request for this key would wait for another's now.
    func isWaitedFor(_ key: FlightKey, epoch: Int, now: Instant) -> Bool {
        if let until = marks[key]?.uncollapsibleUntil, now < until { return false }
        return openFlight(key, epoch) != nil
    }

    /// Where those that join the flight of a key wait; nil where none is out.
    func seat(for key: FlightKey) -> Seat? {
        open[key].flatMap { number in flights[number].map { Seat(flight: number, round: $0.round) } }
    }

    /// Whether others wait for what this leader brings.
    func isWaitedFor(_ id: FlightID) -> Bool { flights[id.flight]?.waiters.isEmpty == false }

    /// A waiter has lost its patience: it may lead when the last leader has been out for long
    /// enough, or what that one brings is out of date or of no use to others. Nil: wait on.
    mutating func takeOver(_ key: FlightKey, epoch: Int, now: Instant) -> FlightID? {
        if let until = marks[key]?.uncollapsibleUntil, now < until { return begin(key, epoch, now) }
        guard let number = openFlight(key, epoch), let flight = flights[number] else { return lead(key, epoch, now) }
        guard now >= flight.begun + Self.patience else { return nil }
        let leader = makeNumber()
        flights[number]?.leaders.append(leader)
        flights[number]?.begun = now
        return FlightID(flight: number, leader: leader)
    }

    /// An unsafe method changed the target (RFC 9111 4.4): shared answers that leaders bring for it
    /// are out of date, in all variants, but for that of the request that changed it.
    mutating func invalidate(_ target: [UInt8], by leader: FlightID? = nil) {
        invalidate { number, key in
            number != leader?.flight && !key.isPersonal && key.target.elementsEqual(target)
        }
    }

    /// From now on answers that leaders bring for single users are out of date: another process may
    /// have served writes of theirs.
    mutating func invalidatePersonal() {
        invalidate { _, key in key.isPersonal }
    }

    private mutating func invalidate(where isChosen: (FlightNumber, CacheKey) -> Bool) {
        for (number, flight) in flights where isChosen(number, flight.key.key) {
            flights[number]?.isInvalid = true
            if open[flight.key] == number { open[flight.key] = nil }
        }
    }

    /// Whether what this leader brings must not be stored any more.
    func isOutdated(_ id: FlightID, epoch: Int) -> Bool {
        guard let flight = flights[id.flight] else { return false }
        return flight.isInvalid || flight.epoch != epoch
    }

    /// How a leader's request ended.
    enum Ending {
        /// The answer serves those who waited.
        case shared
        /// It serves the leader alone. For a while no request waits for this key.
        case uncollapsible
        /// There was none: all waiters hear the same, unless another leader is still out.
        case failed
    }

    /// A leader is back. Returns all waiters that hear of it: where it failed and another took
    /// over, the rest waits for that one, and each until its own patience ends.
    mutating func finish(_ id: FlightID, _ ending: Ending, now: Instant) -> [Waiter] {
        guard var flight = flights.removeValue(forKey: id.flight) else { return [] }
        guard let place = flight.leaders.firstIndex(of: id.leader) else {
            flights[id.flight] = flight
            return []
        }
        flight.leaders.remove(at: place)
        if flight.isJoinable || ending == .shared { mark(flight.key, ending, now) }
        guard flight.leaders.isEmpty else {
            let waiters = ending == .failed ? [] : flight.waiters
            if ending != .failed {
                waitingBytes -= flight.waitingBytes
                (flight.waiters, flight.waitingBytes, flight.gone) = ([], 0, 0)
                flight.round += 1
            }
            flights[id.flight] = flight
            return waiters
        }
        waitingBytes -= flight.waitingBytes
        if flight.isJoinable, open[flight.key] == id.flight { open[flight.key] = nil }
        return flight.waiters
    }

    /// The flight that may be joined; one that left before a purge is left to itself.
    private func openFlight(_ key: FlightKey, _ epoch: Int) -> FlightNumber? {
        guard let number = open[key], flights[number]?.epoch == epoch else { return nil }
        return number
    }

    private mutating func lead(_ key: FlightKey, _ epoch: Int, _ now: Instant) -> FlightID {
        let id = begin(key, epoch, now, isJoinable: true)
        open[key] = id.flight
        return id
    }

    /// A request leaves, and no other request may wait for it unless it is joinable.
    mutating func begin(_ key: FlightKey, _ epoch: Int, _ now: Instant, isJoinable: Bool = false) -> FlightID {
        let (flight, leader) = (FlightNumber(number: makeNumber()), makeNumber())
        flights[flight] = Flight(
            key: key, epoch: epoch, leaders: [leader], begun: now, isJoinable: isJoinable)
        return FlightID(flight: flight, leader: leader)
    }

    private mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func mark(_ key: FlightKey, _ ending: Ending, _ now: Instant) {
        var refreshableFrom: Instant { now + Self.refreshPause }
        switch ending {
        case .shared: if !marks.isEmpty { marks[key] = nil }
        case .uncollapsible:
            let until = now + Self.hitForMiss
            remember(key, Mark(uncollapsibleUntil: until, refreshableFrom: refreshableFrom), now)
        case .failed: remember(key, Mark(uncollapsibleUntil: now, refreshableFrom: refreshableFrom), now)
        }
    }

    /// A note that does not fit is dropped: it costs a wait or a request, and no wrong answer.
    private mutating func remember(_ key: FlightKey, _ mark: Mark, _ now: Instant) {
        if marks.count >= Self.maxMarks {
            marks = marks.filter { now < max($0.value.uncollapsibleUntil, $0.value.refreshableFrom) }
        }
        if marks.count < Self.maxMarks || marks[key] != nil { marks[key] = mark }
    }
}
