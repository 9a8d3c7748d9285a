import Cache
import EventLoop
import Synchronization

/// The targets about which the origin has said to come back later, with a 5xx and `Retry-After`:
/// until then they are not asked for again, within a minute. A purge ends that, and another origin.
final class HeldTargets: Sendable {
    private struct Hold {
        /// The moment from which it is asked for again.
        let until: Instant
        /// The moment that the origin has named.
        let said: Instant
        /// The cache's count of purges.
        let epoch: Int
    }

    static let longest = Duration.seconds(60)
    private let holds = KeyCells<Hold>()
    /// Whether anything was ever noted: until then no request to the origin takes the lock.
    private let isUsed = Atomic<Bool>(false)

    func note(_ key: CacheKey, for time: Duration, epoch: Int, now: Instant) {
        holds.put(Hold(until: now + min(time, Self.longest), said: now + time, epoch: epoch), for: key)
        isUsed.store(true, ordering: .releasing)
    }

    /// The seconds, at least 1, until the moment that the origin has named; nil where nothing is
    /// held.
    func wait(for key: CacheKey, epoch: @autoclosure () -> Int, now: Instant) -> Int? {
        guard isUsed.load(ordering: .acquiring), let hold = holds[key], now < hold.until, hold.epoch == epoch()
        else { return nil }
        return (hold.said - now).secondsToWait
    }

    /// The origin is another one.
    func forget() { holds.removeAll() }
}
