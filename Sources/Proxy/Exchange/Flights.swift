import Cache
import EventLoop
import Purging
import Synchronization
import Upstream

/// A request that waits for a flight, or leads one. Confined to its loop.
protocol FlightWaiter: AnyObject {
    /// A client, or one of another party, waits for the answer now.
    func promote(for party: UpstreamParty)
    /// Ends a request that was not sent and for which no client waits.
    func giveUpIfUnwanted()
    /// The flight that it waits for has ended.
    func flightFinished(_ outcome: FlightOutcome)
}

/// The flights of all loops. Its lock is taken on misses and stale answers.
final class Flights: Sendable {
    typealias Waiter = Confined<any FlightWaiter>
    typealias Table = FlightTable<Waiter>
    typealias FlightID = Table.FlightID

    private let purges: Purges
    private struct State {
        var table = Table()
        /// The leaders whose requests may be waiting for their turn, by their flights.
        var queued: [FlightNumber: Queued] = [:]
    }

    private struct Queued {
        let leader: Waiter
        /// The party that it waits for; nil while no client waits.
        var party: UpstreamParty?
    }

    private let state = Mutex(State())

    init(_ cache: ResponseCache) { purges = cache.purges }

    var count: Int { state.withLock { $0.table.count } }

    /// A request joins a flight, or leads one.
    /// - Parameters:
    ///   - key: for its answer.
    ///   - asked: the number of the latest purge when the request came.
    /// - Returns: how it joined, and the seat of one that waits.
    func join(
        _ key: FlightKey, _ waiter: any FlightWaiter, for request: OriginRequest, of party: UpstreamParty,
        asked: Int64, on loop: EventLoop
    ) -> (Table.Joining, Table.Seat?) {
        let (confined, now, bytes) = (Waiter(waiter, to: loop), loop.now, request.forwarded.byteCount)
        let (newest, bornFrom) = bounds(key, AwaitedAnswer(to: request))
        let (joining, seat, queued) = state.withLock { state in
            let joining = state.table.join(
                key, newest: newest, bornFrom: bornFrom, asked: asked, now: now, of: party, bytes: bytes, confined)
            guard joining == .wait, let seat = state.table.seat(for: key) else {
                return (joining, Table.Seat?.none, Waiter?.none)
            }
            guard !state.queued.isEmpty, let known = state.queued[seat.flight], known.party != party else {
                return (joining, seat, nil)
            }
            state.queued[seat.flight] = Queued(leader: known.leader, party: party)
            return (joining, seat, known.leader)
        }
        queued?.execute { $0.promote(for: party) }
        return (joining, seat)
    }

    /// Has the leader told of clients that join its flight while its request waits for its turn.
    /// - Parameter party: the party that it waits for; nil for a refresh. A client that joined
    ///   before this call promotes it for everyone: its party was not kept.
    func note(_ leader: any FlightWaiter, as id: FlightID, of party: UpstreamParty?, on loop: EventLoop) {
        let queued = Queued(leader: Waiter(leader, to: loop), party: party)
        let isWaitedFor = state.withLock { state in
            state.queued[id.flight] = queued
            return party == nil && state.table.isWaitedFor(id)
        }
        if isWaitedFor { leader.promote(for: .everyone) }
    }

    /// A waiter's client has left; where it was the last, the leader is told.
    func waiterLeft(_ seat: Table.Seat) {
        let leader = state.withLock { state in
            state.table.waiterLeft(seat) ? state.queued[seat.flight]?.leader : nil
        }
        leader?.execute { $0.giveUpIfUnwanted() }
    }

    func abandon(_ id: FlightID) -> Bool { state.withLock { $0.table.abandon(id) } }

    func isWaitedFor(_ key: FlightKey, _ answer: @autoclosure () -> AwaitedAnswer, now: Instant) -> Bool {
        let (_, bornFrom) = bounds(key, answer())
        return state.withLock { $0.table.isWaitedFor(key, bornFrom: bornFrom, now: now) }
    }

    func refresh(_ key: FlightKey, _ answer: @autoclosure () -> AwaitedAnswer, now: Instant) -> FlightID? {
        let (newest, bornFrom) = bounds(key, answer())
        return state.withLock { $0.table.refresh(key, newest: newest, bornFrom: bornFrom, now: now) }
    }

    func begin(_ key: FlightKey, now: Instant) -> FlightID {
        let newest = purges.newest
        return state.withLock { $0.table.begin(key, newest, now) }
    }

    func takeOver(_ key: FlightKey, for request: OriginRequest, now: Instant) -> FlightID? {
        let (newest, bornFrom) = bounds(key, AwaitedAnswer(to: request))
        return state.withLock { $0.table.takeOver(key, newest: newest, bornFrom: bornFrom, now: now) }
    }

    /// The number of the latest purge, and that from which on a flight of the key may be joined:
    /// that of the open one, unless a purge since is known to choose the answer. Until something is
    /// purged neither is looked for; `answer` is made where a purge came since.
    private func bounds(
        _ key: FlightKey, _ answer: @autoclosure () -> AwaitedAnswer
    ) -> (newest: Int64, bornFrom: Int64) {
        let newest = purges.newest
        guard newest > 0, let born = state.withLock({ $0.table.born(key) }), born < newest else {
            return (newest, newest)
        }
        return (newest, purges.choose(answer(), since: born) ? newest : born)
    }

    func invalidate(_ target: [UInt8], by id: FlightID?) { state.withLock { $0.table.invalidate(target, by: id) } }

    func invalidatePersonal() { state.withLock { $0.table.invalidatePersonal() } }

    func isInvalid(_ id: FlightID) -> Bool { state.withLock { $0.table.isInvalid(id) } }

    /// Tells the waiters, each in a turn of its own loop.
    func finish(_ id: FlightID, _ outcome: FlightOutcome, now: Instant) {
        let told = state.withLock { state in
            if !state.queued.isEmpty { state.queued[id.flight] = nil }
            return state.table.finish(id, outcome.ending, now: now)
        }
        for waiter in told.early { waiter.execute { $0.flightFinished(outcome) } }
        guard !told.late.isEmpty else { return }
        // All of them came before the purges from now on.
        let theirs = outcome.isChosen(by: purges, since: id.born) ? .leadersOwn(nil) : outcome
        for waiter in told.late { waiter.execute { $0.flightFinished(theirs) } }
    }
}

extension FlightOutcome {
    /// Whether a purge has chosen the answer since its leader began, so that it is not for requests
    /// that came later. An error names no more than its request does, which was compared with the
    /// purges when they joined.
    fileprivate func isChosen(by purges: Purges, since born: Int64) -> Bool {
        switch self {
        case .stored(let stored, _): purges.choose(stored, since: born)
        case .unstored(_, .outdated): true
        case .unstored, .released, .leadersOwn, .failed: false
        }
    }

    fileprivate var ending: Flights.Table.Ending {
        switch self {
        case .stored, .unstored(_, .outdated): .shared
        case .released: .uncollapsible
        // Only the leader's client has left.
        case .failed(let failure) where failure.reason == .clientLeft: .shared
        case .unstored, .leadersOwn, .failed: .failed
        }
    }
}
