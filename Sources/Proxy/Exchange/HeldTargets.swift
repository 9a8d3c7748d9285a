import Cache
import EventLoop
import Synchronization

/// The targets about which the origin has said to come back later, with a 5xx and `Retry-After`:
/// until then they are not asked for again, within a minute. A purge ends that, and another origin.
///
/// A fixed number of cells, each for the keys of one remainder: the newest takes the place of an
/// older one. Keys are told apart by their hash alone, which is drawn anew in each process.
final class HeldTargets: Sendable {
    private struct Cell {
        let hash: Int
        /// From then on it is asked for again.
        let until: Instant
        /// The moment that the origin has named.
        let said: Instant
        /// The cache's count of purges.
        let epoch: Int
    }

    static let longest = Duration.seconds(60)
    private static let cellCount = 512
    private let cells = Mutex([Cell?](repeating: nil, count: HeldTargets.cellCount))
    /// Whether anything was ever noted: until then no request to the origin takes the lock.
    private let isUsed = Atomic<Bool>(false)

    func note(_ key: CacheKey, for time: Duration, epoch: Int, now: Instant) {
        let cell = Cell(hash: key.hashValue, until: now + min(time, Self.longest), said: now + time, epoch: epoch)
        cells.withLock { $0[Self.index(cell.hash)] = cell }
        isUsed.store(true, ordering: .releasing)
    }

    /// The seconds, at least 1, until the moment that the origin has named; nil where nothing is
    /// held.
    func wait(for key: CacheKey, epoch: @autoclosure () -> Int, now: Instant) -> Int? {
        guard isUsed.load(ordering: .acquiring) else { return nil }
        let hash = key.hashValue
        guard let cell = cells.withLock({ $0[Self.index(hash)] }), cell.hash == hash, now < cell.until,
            cell.epoch == epoch()
        else { return nil }
        return (cell.said - now).secondsToWait
    }

    /// The origin is another one.
    func forget() {
        cells.withLock { $0 = [Cell?](repeating: nil, count: Self.cellCount) }
    }

    private static func index(_ hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(cellCount)) }
}
