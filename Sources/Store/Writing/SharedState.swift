import Synchronization

// State that the writer and the readers of one store share.
// Must hold: the locks here are never held together, and nothing is logged or read from a disk
// under one of them; each may be taken under the writer's lock, and under those of the owner.

final class SharedState: Sendable {
    let path: String
    /// The limit on everything on disk, in bytes.
    let maxBytes: Int
    let pending = Mutex(PendingWrites())
    let counters = Mutex(StoreStatus())
    /// The number of the file that is open, 0 while none is; a reader with another number opens
    /// anew.
    let generation = Atomic<Int>(0)
    private let homeBits = Atomic<UInt64>(0)
    /// The upstream of the start, to which the answers of a file of version 10 belong.
    let first: Origin
    /// The origins that were upstream in this process, the present one last; so that rows can be
    /// given the names of all.
    let origins: Mutex<[Origin]>
    let segments: Segments
    let directory: KeyDirectory
    let owner: any RecordOwner
    /// The wall clock, in unix seconds.
    let unixSeconds: @Sendable () -> Int64
    let resuming = Mutex(Resuming())

    /// The call for when a sweep that is owed can be done. A `Mutex` of the closure itself would
    /// wrap it once more at each look.
    struct Resuming {
        var call: (@Sendable () -> Void)?
    }

    let useInterval = UseInterval(SpaceBounds.useInterval(span: 0))

    init(
        path: String, maxBytes: Int, _ owner: any RecordOwner, origin: Origin = .none,
        unixSeconds: @escaping @Sendable () -> Int64
    ) {
        (self.path, self.maxBytes) = (path, maxBytes)
        first = origin
        origins = Mutex([origin])
        self.owner = owner
        self.unixSeconds = unixSeconds
        segments = Segments(besides: path)
        directory = KeyDirectory(mostKeys: StoreMemory.mostKeys(cacheSize: maxBytes))
    }

    /// The home of the open file (`OriginTag.relative`). Set before its generation.
    var home: OriginTag {
        get { OriginTag(bits: homeBits.load(ordering: .acquiring)) }
        set { homeBits.store(newValue.bits, ordering: .releasing) }
    }

    /// The present upstream.
    var origin: Origin { origins.withLock { $0.last } ?? .none }

    /// Counts the rows of a transaction.
    func count(_ outcome: WriteOutcome) {
        useInterval.set(SpaceBounds.useInterval(span: outcome.useSpan))
        counters.withLock { counters in
            counters.written += outcome.written
            counters.dropped += outcome.dropped
            counters.evicted += outcome.evicted
            (counters.entries, counters.byteCount) = (outcome.totals.entries, outcome.totals.bytes)
        }
    }
}
