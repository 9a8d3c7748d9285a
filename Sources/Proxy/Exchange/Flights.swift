import Cache
import EventLoop
import Synchronization
import Upstream

/// A waiter for another's flight, confined to a loop.
protocol FlightWaiter: AnyObject {
    /// The flight has ended.
    func flightFinished(_ outcome: FlightOutcome)
}

/// The leader of a flight, confined to a loop.
protocol FlightLeader: AnyObject {
    /// A client waits by now for what was asked for without one, or on behalf of another.
    func promote(for party: UpstreamParty)
    /// No client waits any more for what this one leads.
    func waitersLeft()
}

/// The flights of all loops. Its lock is taken on misses and stale answers.
final class Flights: Sendable {
    typealias Table = FlightTable<Confined<any FlightWaiter>>
    typealias FlightID = Table.FlightID

    private let cache: ResponseCache
    private struct State {
        var table = Table()
        /// The leaders whose requests may be waiting for their turn, by their flights: those that
        /// began without a client, and those that have been made to wait.
        var queued: [FlightNumber: Queued] = [:]
    }

    private struct Queued {
        let leader: Confined<any FlightLeader>
        /// On whose behalf it waits; nil while no client waits for it.
        var party: UpstreamParty?
    }

    private let state = Mutex(State())

    /// - Parameter cache: whose purges end what is under way.
    init(_ cache: ResponseCache) {
        self.cache = cache
    }

    /// Requests that are out.
    var count: Int { state.withLock { $0.table.count } }

    /// - Parameters:
    ///   - party: on whose behalf the request is made.
    ///   - bytes: those of the request.
    /// - Returns: and its seat, where it waits.
    func join(
        _ key: FlightKey, _ waiter: any FlightWaiter, of party: UpstreamParty, bytes: Int, on loop: EventLoop
    ) -> (Table.Joining, Table.Seat?) {
        let (confined, epoch, now) = (Confined(waiter, to: loop), cache.purgeEpoch, loop.now)
        let (joining, seat, queued) = state.withLock { state in
            let joining = state.table.join(key, epoch: epoch, now: now, bytes: bytes, confined)
            guard joining == .wait, let seat = state.table.seat(for: key) else {
                return (joining, Table.Seat?.none, Confined<any FlightLeader>?.none)
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

    /// The leader hears of clients that join its flight while its request may be waiting for its
    /// turn.
    /// - Parameter party: on whose behalf it waits; nil where no client does yet. A client may have
    ///   joined before this call. It promotes the leader now, for everyone: its party was not kept.
    func note(_ leader: some FlightLeader, as id: FlightID, of party: UpstreamParty?, on loop: EventLoop) {
        let queued = Queued(leader: Confined(leader, to: loop), party: party)
        let isWaitedFor = state.withLock { state in
            state.queued[id.flight] = queued
            return party == nil && state.table.isWaitedFor(id)
        }
        if isWaitedFor { leader.promote(for: .everyone) }
    }

    /// The client of one that waits for a flight has left. Where it was the last, the leader may
    /// give up.
    func waiterLeft(_ seat: Table.Seat) {
        let leader = state.withLock { state in
            state.table.waiterLeft(seat) ? state.queued[seat.flight]?.leader : nil
        }
        leader?.execute { $0.waitersLeft() }
    }

    /// Whether no client waits for what this leader, whose own has left, would bring.
    func abandon(_ id: FlightID) -> Bool { state.withLock { $0.table.abandon(id) } }

    /// Whether a request for this key would wait for another's now.
    func isWaitedFor(_ key: FlightKey, now: Instant) -> Bool {
        withTable { $0.isWaitedFor(key, epoch: $1, now: now) }
    }

    func refresh(_ key: FlightKey, now: Instant) -> FlightID? { withTable { $0.refresh(key, epoch: $1, now: now) } }

    func begin(_ key: FlightKey, now: Instant) -> FlightID { withTable { $0.begin(key, $1, now) } }

    func takeOver(_ key: FlightKey, now: Instant) -> FlightID? { withTable { $0.takeOver(key, epoch: $1, now: now) } }

    func invalidate(_ target: [UInt8], by id: FlightID?) { state.withLock { $0.table.invalidate(target, by: id) } }

    func invalidatePersonal() { state.withLock { $0.table.invalidatePersonal() } }

    /// Whether what this leader brings must not be stored any more: purged, or its target changed.
    func isOutdated(_ id: FlightID) -> Bool { withTable { $0.isOutdated(id, epoch: $1) } }

    /// Gives `body` the cache's count of purges too.
    private func withTable<Result: Sendable>(_ body: (inout Table, _ epoch: Int) -> Result) -> Result {
        let epoch = cache.purgeEpoch
        return state.withLock { body(&$0.table, epoch) }
    }

    /// Tells the waiters; each hears it in a turn of its own loop.
    func finish(_ id: FlightID, _ outcome: FlightOutcome, now: Instant) {
        let waiters = state.withLock { state in
            if !state.queued.isEmpty { state.queued[id.flight] = nil }
            return state.table.finish(id, outcome.ending, now: now)
        }
        for waiter in waiters { waiter.execute { $0.flightFinished(outcome) } }
    }
}

extension FlightOutcome {
    fileprivate var ending: Flights.Table.Ending {
        switch self {
        case .stored, .unstored(_, .outdated): .shared
        case .released: .uncollapsible
        // About this one's client.
        case .failed(let failure) where failure.reason == .clientLeft: .shared
        case .unstored, .leadersOwn, .failed: .failed
        }
    }
}
