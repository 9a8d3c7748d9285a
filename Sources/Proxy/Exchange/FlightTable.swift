import Cache
import EventLoop
import Text
import Upstream

// Collapsing: the keys being fetched, their waiters, and the keys that cannot be collapsed. Pure.
// Must hold: one leader a key, unless the last has been out for `patience`; every waiter hears of
// an end; no flight is joined after a change of its target, or a purge that is known to choose its
// answer; no other purge ends a flight; the waiters' bytes and the marks are bounded, and of the
// bytes a party has its share (`FairShare`).

/// Traits that requests share if one of them waits for another: those of the bytes that would go to
/// the origin.
struct FlightKey: NumberedKey {
    let key: CacheKey
    /// A number for all that would be sent of the client's own (`ForwardedRequest.question`).
    let question: UInt64

    init(_ key: CacheKey, question: UInt64 = 0) {
        (self.key, self.question) = (key, question)
    }

    /// Key and question are keyed hashes.
    var hashNumber: UInt64 { key.hash ^ question }
}

/// Names a flight; no number is used twice.
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
        /// The number of the latest purge when this leader began (`Purges.newest`).
        let born: Int64
    }

    /// A waiter's place: its flight, and the round of waiters.
    struct Seat: Hashable {
        let flight: FlightNumber
        fileprivate let round: Int
    }

    enum Joining: Equatable {
        /// Ask the origin, and `finish`.
        case lead(FlightID)
        /// Wait for the leader; `finish` returns the waiter.
        case wait
        /// Ask for yourself, and `finish`: recent answers to this key could not be shared
        /// (hit-for-miss).
        case alone(FlightID)
        /// The waiters hold `maxWaitingBytes`.
        case full
        /// The waiters of its party hold their share.
        case shareUsed
    }

    /// The waiters to be told of an end.
    struct Told {
        /// Waiters whose requests came before any purge since the leader began.
        fileprivate(set) var early: [Waiter] = []
        /// Later ones: a purge may have chosen the answer by its content before they came.
        fileprivate(set) var late: [Waiter] = []

        var all: [Waiter] { early + late }
    }

    private struct Leader {
        let number: Int
        let born: Int64
    }

    private struct Flight {
        let key: FlightKey
        /// Mostly one.
        var leaders: [Leader]
        /// When the last leader began.
        var begun: Instant
        /// The waiters, each with the number of the latest purge when its request came.
        var waiters: [(waiter: Waiter, asked: Int64)] = []
        /// Bytes that the waiters hold, by party.
        var held: [UpstreamParty: Int] = [:]
        /// Waiters whose clients have left.
        var gone = 0
        /// Counts the sets of waiters that ended while another leader was out.
        var round = 0
        /// Whether others could wait for it: only then does its end mark the key.
        let isJoinable: Bool
        /// The target changed since the begin.
        var isInvalid = false

        /// Purges up to that number concern none of its leaders' answers.
        var born: Int64 { leaders.reduce(.max) { min($0, $1.born) } }

        /// The waiters, for an answer that was born under that number.
        func told(since born: Int64) -> Told {
            var told = Told()
            for (waiter, asked) in waiters {
                if asked > born { told.late.append(waiter) } else { told.early.append(waiter) }
            }
            return told
        }
    }

    /// A note about a key.
    private struct Mark {
        /// Until then no request waits for the key (hit-for-miss).
        let uncollapsibleUntil: Instant
        /// The moment from which the key is refreshed again.
        let refreshableFrom: Instant
    }

    private var flights: [FlightNumber: Flight] = [:]
    /// The flights that others may join.
    private var open: [FlightKey: FlightNumber] = [:]
    private var marks: [FlightKey: Mark] = [:]
    private var lastNumber = 0
    /// Bytes held by the waiters of all flights, and by each party's.
    private(set) var waitingBytes = 0
    private var held: [UpstreamParty: Int] = [:]

    /// How long a leader is out before a waiter may take over (FRAMING 6.2).
    static var patience: Duration { .seconds(5) }
    /// How long an uncacheable answer keeps its key from being collapsed (FRAMING 6.3).
    static var hitForMiss: Duration { .seconds(10) }
    /// The pause after a refresh without an answer to store, which spares an origin in trouble.
    static var refreshPause: Duration { .seconds(5) }
    /// The most bytes that all waiters hold.
    static var maxWaitingBytes: Int { ProxyMemory.waitingBytes }
    /// Memory of a waiter without its request's bytes: the exchange, the request to the origin, and
    /// its place here.
    static var bytesPerWaiter: Int { 4 << 10 }
    static var maxMarks: Int { 4_096 }

    var count: Int { flights.count }

    /// A request wants the answer to `key`.
    /// - Parameters:
    ///   - newest: the number of the latest purge, here and below.
    ///   - bornFrom: flights that began under an earlier number are not joined, as a purge since
    ///     has chosen what answers the request.
    ///   - asked: the number of the latest purge when the request came.
    ///   - bytes: those of the request.
    mutating func join(
        _ key: FlightKey, newest: Int64, bornFrom: Int64, asked: Int64, now: Instant,
        of party: UpstreamParty = .everyone,
        bytes: Int = 0, _ waiter: Waiter
    ) -> Joining {
        if let until = marks[key]?.uncollapsibleUntil, now < until { return .alone(begin(key, newest, now)) }
        guard let number = openFlight(key, bornFrom), let index = flights.index(forKey: number) else {
            return .lead(lead(key, newest, now))
        }
        let (more, own, free) = (Self.bytesPerWaiter + bytes, held[party] ?? 0, Self.maxWaitingBytes - waitingBytes)
        guard more <= free else { return .full }
        guard FairShare.allows(more, holding: own, of: free) else { return .shareUsed }
        waitingBytes += more
        held[party] = own + more
        flights.values[index].held[party, default: 0] += more
        flights.values[index].waiters.append((waiter, asked))
        return .wait
    }

    /// The waiters of a flight wait no more.
    private mutating func release(_ waiting: [UpstreamParty: Int]) {
        for (party, bytes) in waiting {
            waitingBytes -= bytes
            held[party] = held[party].flatMap { $0 > bytes ? $0 - bytes : nil }
        }
    }

    /// A waiter's client has left; the waiter still hears of the end.
    /// - Returns: whether no client waits for the flight any more.
    mutating func waiterLeft(_ seat: Seat) -> Bool {
        guard let index = flights.index(forKey: seat.flight), flights.values[index].round == seat.round else {
            return false
        }
        flights.values[index].gone += 1
        return flights.values[index].gone >= flights.values[index].waiters.count
    }

    /// The leader's client has left before the request was sent.
    /// - Returns: whether no client waits for the flight. Then no request can join it; it has to
    ///   `finish`.
    mutating func abandon(_ id: FlightID) -> Bool {
        guard let index = flights.index(forKey: id.flight) else { return true }
        let flight = flights.values[index]
        guard flight.leaders.map(\.number) == [id.leader], flight.gone >= flight.waiters.count else { return false }
        if open[flight.key] == id.flight { open[flight.key] = nil }
        return true
    }

    /// A stale answer was served; nil where a refresh is under way or must pause.
    mutating func refresh(_ key: FlightKey, newest: Int64, bornFrom: Int64, now: Instant) -> FlightID? {
        guard openFlight(key, bornFrom) == nil else { return nil }
        if let from = marks[key]?.refreshableFrom, now < from { return nil }
        return lead(key, newest, now)
    }

    /// Whether a request for this key would wait for another one.
    func isWaitedFor(_ key: FlightKey, bornFrom: Int64, now: Instant) -> Bool {
        if let until = marks[key]?.uncollapsibleUntil, now < until { return false }
        return openFlight(key, bornFrom) != nil
    }

    /// The seat of a request that joins the flight of a key now; nil without a flight.
    func seat(for key: FlightKey) -> Seat? {
        open[key].flatMap { number in flights[number].map { Seat(flight: number, round: $0.round) } }
    }

    /// Whether others wait for this leader's answer.
    func isWaitedFor(_ id: FlightID) -> Bool { flights[id.flight]?.waiters.isEmpty == false }

    /// A waiter's patience has ended: it leads where the last leader has been out for `patience`,
    /// or its answer is outdated or cannot be shared. Nil: wait on.
    mutating func takeOver(_ key: FlightKey, newest: Int64, bornFrom: Int64, now: Instant) -> FlightID? {
        if let until = marks[key]?.uncollapsibleUntil, now < until { return begin(key, newest, now) }
        guard let number = openFlight(key, bornFrom), let flight = flights[number] else {
            return lead(key, newest, now)
        }
        guard now >= flight.begun + Self.patience else { return nil }
        let leader = Leader(number: makeNumber(), born: newest)
        flights[number]?.leaders.append(leader)
        flights[number]?.begun = now
        return FlightID(flight: number, leader: leader.number, born: leader.born)
    }

    /// An unsafe method changed the target (RFC 9111 4.4): the shared answers under way for it are
    /// outdated, except that of the request itself.
    mutating func invalidate(_ target: [UInt8], by leader: FlightID? = nil) {
        invalidate { number, key in
            number != leader?.flight && !key.isPersonal && key.target.elementsEqual(target)
        }
    }

    /// Personal answers under way are outdated: another process may have served the users' writes.
    mutating func invalidatePersonal() {
        invalidate { _, key in key.isPersonal }
    }

    private mutating func invalidate(where isChosen: (FlightNumber, CacheKey) -> Bool) {
        for (number, flight) in flights where isChosen(number, flight.key.key) {
            flights[number]?.isInvalid = true
            if open[flight.key] == number { open[flight.key] = nil }
        }
    }

    /// Whether the target changed since this flight began: its answers must not be stored.
    func isInvalid(_ id: FlightID) -> Bool { flights[id.flight]?.isInvalid ?? false }

    /// How a leader's request ended.
    enum Ending {
        /// The answer serves the waiters.
        case shared
        /// It serves the leader alone. No request waits for this key for `hitForMiss`.
        case uncollapsible
        /// No answer: the waiters hear of it, unless another leader is out.
        case failed
    }

    /// A leader has ended. Returns the waiters to tell: none where it failed and another leader is
    /// out.
    mutating func finish(_ id: FlightID, _ ending: Ending, now: Instant) -> Told {
        guard var flight = flights.removeValue(forKey: id.flight) else { return Told() }
        guard let place = flight.leaders.firstIndex(where: { $0.number == id.leader }) else {
            flights[id.flight] = flight
            return Told()
        }
        flight.leaders.remove(at: place)
        if flight.isJoinable || ending == .shared { mark(flight.key, ending, now) }
        guard flight.leaders.isEmpty else {
            let told = ending == .failed ? Told() : flight.told(since: id.born)
            if ending != .failed {
                release(flight.held)
                (flight.waiters, flight.held, flight.gone) = ([], [:], 0)
                flight.round += 1
            }
            flights[id.flight] = flight
            return told
        }
        release(flight.held)
        if flight.isJoinable, open[flight.key] == id.flight { open[flight.key] = nil }
        return flight.told(since: id.born)
    }

    /// The number under which the open flight of a key began; nil without one.
    func born(_ key: FlightKey) -> Int64? { open[key].flatMap { flights[$0]?.born } }

    /// The flight that may be joined.
    private func openFlight(_ key: FlightKey, _ bornFrom: Int64) -> FlightNumber? {
        guard let number = open[key], let born = flights[number]?.born, born >= bornFrom else { return nil }
        return number
    }

    private mutating func lead(_ key: FlightKey, _ newest: Int64, _ now: Instant) -> FlightID {
        let id = begin(key, newest, now, isJoinable: true)
        open[key] = id.flight
        return id
    }

    /// A request begins; others can wait for it only where it is joinable.
    /// - Parameter newest: the number of the latest purge.
    mutating func begin(_ key: FlightKey, _ newest: Int64, _ now: Instant, isJoinable: Bool = false) -> FlightID {
        let (flight, leader) = (FlightNumber(number: makeNumber()), Leader(number: makeNumber(), born: newest))
        flights[flight] = Flight(key: key, leaders: [leader], begun: now, isJoinable: isJoinable)
        return FlightID(flight: flight, leader: leader.number, born: newest)
    }

    private mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func mark(_ key: FlightKey, _ ending: Ending, _ now: Instant) {
        guard ending != .shared else {
            if !marks.isEmpty { marks[key] = nil }
            return
        }
        let mark = Mark(
            uncollapsibleUntil: ending == .uncollapsible ? now + Self.hitForMiss : now,
            refreshableFrom: now + Self.refreshPause)
        // A dropped mark costs a wait or a request, never a wrong answer.
        if marks.count >= Self.maxMarks {
            marks = marks.filter { now < max($0.value.uncollapsibleUntil, $0.value.refreshableFrom) }
        }
        if marks.count < Self.maxMarks || marks[key] != nil { marks[key] = mark }
    }
}
