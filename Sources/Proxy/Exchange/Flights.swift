import Cache
import EventLoop
import Synchronization

/// A waiter for another's flight, confined to a loop.
protocol FlightWaiter: AnyObject {
    /// The flight has ended.
    func flightFinished(_ outcome: FlightOutcome)
}

/// The flights of all loops. Its lock is taken on misses and stale answers.
final class Flights: Sendable {
    typealias Table = FlightTable<Confined<any FlightWaiter>>
    typealias FlightID = Table.FlightID

    private let cache: ResponseCache
    private struct State {
        var table = Table()
        /// The exchanges that began without a client, by their flights.
        var background: [Int: Confined<Exchange>] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter cache: whose purges end what is under way.
    init(_ cache: ResponseCache) {
        self.cache = cache
    }

    func join(_ key: CacheKey, _ waiter: any FlightWaiter, on loop: EventLoop) -> Table.Joining {
        let (confined, epoch, now) = (Confined(waiter, to: loop), cache.purgeEpoch, loop.now)
        let (joining, unhurried) = state.withLock { state in
            let joining = state.table.join(key, epoch: epoch, now: now, confined)
            guard joining == .wait, let flight = state.table.flight(for: key) else {
                return (joining, Confined<Exchange>?.none)
            }
            return (joining, state.background.removeValue(forKey: flight))
        }
        unhurried?.execute { $0.hurry() }
        return joining
    }

    /// No client waits for this exchange yet: one that joins its flight hurries it, and so does one
    /// that has joined since the flight began.
    func note(_ exchange: Exchange, as id: FlightID, on loop: EventLoop) {
        let confined = Confined(exchange, to: loop)
        let isWaitedFor = state.withLock { state in
            let isWaitedFor = state.table.isWaitedFor(id)
            if !isWaitedFor { state.background[id.flight] = confined }
            return isWaitedFor
        }
        if isWaitedFor { exchange.hurry() }
    }

    /// Whether a request for this key would wait for another's now.
    func isWaitedFor(_ key: CacheKey, now: Instant) -> Bool {
        let epoch = cache.purgeEpoch
        return state.withLock { $0.table.isWaitedFor(key, epoch: epoch, now: now) }
    }

    func refresh(_ key: CacheKey, now: Instant) -> FlightID? {
        let epoch = cache.purgeEpoch
        return state.withLock { $0.table.refresh(key, epoch: epoch, now: now) }
    }

    func begin(_ key: CacheKey, now: Instant) -> FlightID {
        let epoch = cache.purgeEpoch
        return state.withLock { $0.table.begin(key, epoch, now) }
    }

    func takeOver(_ key: CacheKey, now: Instant) -> FlightID? {
        let epoch = cache.purgeEpoch
        return state.withLock { $0.table.takeOver(key, epoch: epoch, now: now) }
    }

    func invalidate(_ target: [UInt8], by id: FlightID?) {
        state.withLock { $0.table.invalidate(target, by: id) }
    }

    /// Whether what this leader brings must not be stored any more: purged, or its target changed.
    func isOutdated(_ id: FlightID) -> Bool {
        let epoch = cache.purgeEpoch
        return state.withLock { $0.table.isOutdated(id, epoch: epoch) }
    }

    /// Tells the waiters; each hears it in a turn of its own loop.
    func finish(_ id: FlightID, _ outcome: FlightOutcome, now: Instant) {
        let waiters = state.withLock { state in
            if !state.background.isEmpty { state.background[id.flight] = nil }
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
        case .unstored, .failed: .failed
        }
    }
}
