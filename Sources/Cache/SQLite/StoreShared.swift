import HTTP
import Synchronization

// State that the writer and the readers of one store share.
// Must hold: the locks here are never held together, and nothing is logged or read from a disk
// under one of them; each may be taken under the writer's lock.

final class StoreShared: Sendable {
    let path: String
    let pending = Mutex(PendingWrites())
    let counters = Mutex(StoreStatus())
    /// The number of the file that is open, 0 while none is; a reader with another number opens
    /// anew.
    let generation = Atomic<Int>(0)
    let segments: Segments
    let directory: KeyDirectory
    let purgedTargets = PurgedTargets()
    /// Purges that the file has not had yet.
    let owed = OwedPurges()
    /// Reads what the file has coded; without it such answers are not found.
    let gzip: Gzip
    private let secondsBetweenUses = Atomic<Int>(StoreBounds.useInterval(span: 0))

    init(path: String, maxBytes: Int, gzip: Gzip) {
        self.path = path
        self.gzip = gzip
        segments = Segments(besides: path)
        directory = KeyDirectory(mostKeys: StoreMemory.mostKeys(cacheSize: maxBytes))
    }

    /// How often the use of an entry is worth a `touch`, in seconds.
    var useInterval: Int { secondsBetweenUses.load(ordering: .relaxed) }

    /// Counts what a transaction did.
    func count(_ outcome: StoreConnection.Outcome) {
        secondsBetweenUses.store(StoreBounds.useInterval(span: outcome.useSpan), ordering: .relaxed)
        counters.withLock { counters in
            counters.written += outcome.written
            counters.dropped += outcome.dropped
            counters.evicted += outcome.evicted
            (counters.entries, counters.byteCount) = (outcome.totals.entries, outcome.totals.bytes)
        }
    }
}
