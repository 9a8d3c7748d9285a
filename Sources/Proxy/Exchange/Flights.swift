import Cache
import EventLoop
import Synchronization
import Upstream

/// The flights of all loops. Its lock is taken on misses and stale answers.
final class Flights: Sendable {
    typealias Table = FlightTable<Confined<Exchange>>
    typealias FlightID = Table.FlightID

    private let cache: ResponseCache
    private struct State {
        var table = Table()
        /// The leaders whose requests may be waiting for their turn, by their flights.
        var queued: [FlightNumber: Queued] = [:]
    }

    private struct Queued {
        let leader: Confined<Exchange>
        /// The party that it waits for; nil while no client waits.
        var party: UpstreamParty?
    }

    private let state = Mutex(State())

    init(_ cache: ResponseCache) {
        self.cache = cache
    }

    var count: Int { state.withLock { $0.table.count } }

    /// - Parameters:
    ///   - party: the request's party.
    ///   - bytes: those of the request.
    /// - Returns: how the request joined, and the seat of one that waits.
    func join(
        _ key: FlightKey, _ waiter: Exchange, of party: UpstreamParty, bytes: Int, on loop: EventLoop
    ) -> (Table.Joining, Table.Seat?) {
        let (confined, epoch, now) = (Confined(waiter, to: loop), Int(cache.purges.newest), loop.now)
        let (joining, seat, queued) = state.withLock { state in
            let joining = state.table.join(key, epoch: epoch, now: now, of: party, bytes: bytes, confined)
            guard joining == .wait, let seat = state.table.seat(for: key) else {
                return (joining, Table.Seat?.none, Confined<Exchange>?.none)
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
    func note(_ leader: Exchange, as id: FlightID, of party: UpstreamParty?, on loop: EventLoop) {
        let queued = Queued(leader: Confined(leader, to: loop), party: party)
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

    func isWaitedFor(_ key: FlightKey, now: Instant) -> Bool {
        withTable { $0.isWaitedFor(key, epoch: $1, now: now) }
    }

    func refresh(_ key: FlightKey, now: Instant) -> FlightID? { withTable { $0.refresh(key, epoch: $1, now: now) } }

    func begin(_ key: FlightKey, now: Instant) -> FlightID { withTable { $0.begin(key, $1, now) } }

    func takeOver(_ key: FlightKey, now: Instant) -> FlightID? { withTable { $0.takeOver(key, epoch: $1, now: now) } }

    func invalidate(_ target: [UInt8], by id: FlightID?) { state.withLock { $0.table.invalidate(target, by: id) } }

    func invalidatePersonal() { state.withLock { $0.table.invalidatePersonal() } }

    func isOutdated(_ id: FlightID) -> Bool { withTable { $0.isOutdated(id, epoch: $1) } }

    /// Calls `body` with the cache's count of purges.
    private func withTable<Result: Sendable>(_ body: (inout Table, _ epoch: Int) -> Result) -> Result {
        let epoch = Int(cache.purges.newest)
        return state.withLock { body(&$0.table, epoch) }
    }

    /// Tells the waiters, each in a turn of its own loop.
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
        // Only the leader's client has left.
        case .failed(let failure) where failure.reason == .clientLeft: .shared
        case .unstored, .leadersOwn, .failed: .failed
        }
    }
}
