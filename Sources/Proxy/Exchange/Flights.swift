import Cache
import EventLoop
import Synchronization

/// How a flight ended, for those who waited for it.
enum FlightOutcome: Sendable {
    /// Stored, or confirmed by the origin.
    case stored(StoredResponse, originStatus: Int)
    /// An error of the moment, the same for everyone.
    case error(UpstreamResponse, Reason)
    /// The answer was the leader's alone: ask for yourself.
    case released
    case failed(FetchFailure)
}

/// The flights of all loops. Its lock is taken on misses and stale answers, never on a plain hit.
public final class Flights: Sendable {
    typealias Table = FlightTable<Confined<Exchange>>
    typealias FlightID = Table.FlightID

    private let table = Mutex(Table())

    public init() {}

    func join(_ key: CacheKey, _ exchange: Exchange, on loop: EventLoop) -> Table.Joining {
        let (waiter, now) = (Confined(exchange, to: loop), loop.now)
        return table.withLock { $0.join(key, now: now, waiter) }
    }

    func refresh(_ key: CacheKey, now: Instant) -> FlightID? {
        table.withLock { $0.refresh(key, now: now) }
    }

    func takeOver(_ key: CacheKey, now: Instant) -> FlightID? {
        table.withLock { $0.takeOver(key, now: now) }
    }

    func spoil(_ target: [UInt8]) {
        table.withLock { $0.spoil(target) }
    }

    func isSpoilt(_ key: CacheKey) -> Bool {
        table.withLock { $0.isSpoilt(key) }
    }

    /// Tells all who waited; each hears it in a turn of its own loop.
    func land(_ key: CacheKey, _ id: FlightID, _ outcome: FlightOutcome, now: Instant) {
        let waiters = table.withLock { $0.land(key, id, outcome.landing, now: now) }
        for waiter in waiters { waiter.execute { $0.landed(outcome) } }
    }
}

extension FlightOutcome {
    fileprivate var landing: Flights.Table.Landing {
        switch self {
        case .stored: .shared
        case .released: .uncollapsible
        case .error, .failed: .failed
        }
    }
}
