import Cache
import EventLoop
import Synchronization

/// The targets about which the origin has said to come back later, with a 5xx and `Retry-After`:
/// until then they are not asked for again, within a minute. A purge that is known to choose their
/// answers ends that. The key has the origin.
final class HeldTargets: Sendable {
    private struct Hold {
        /// The moment from which it is asked for again.
        let until: Instant
        /// The moment that the origin has named.
        let said: Instant
        /// The number of the latest purge when it was asked.
        let born: Int64
    }

    static let longest = Duration.seconds(60)
    private let holds = KeyCells<Hold>()
    /// Whether anything was ever noted: until then no request to the origin takes the lock.
    private let isUsed = Atomic<Bool>(false)

    /// - Parameter born: the number of the latest purge when the origin was asked.
    func note(_ key: CacheKey, for time: Duration, born: Int64, now: Instant) {
        holds.put(Hold(until: now + min(time, Self.longest), said: now + time, born: born), for: key)
        isUsed.store(true, ordering: .releasing)
    }

    /// The seconds, at least 1, until the moment that the origin has named; nil where nothing is
    /// held.
    /// - Parameter isPurged: whether a purge above that number is known to choose the answer.
    func wait(for key: CacheKey, now: Instant, unless isPurged: (_ born: Int64) -> Bool) -> Int? {
        guard isUsed.load(ordering: .acquiring), let hold = holds[key], now < hold.until, !isPurged(hold.born)
        else { return nil }
        return (hold.said - now).secondsToWait
    }
}
