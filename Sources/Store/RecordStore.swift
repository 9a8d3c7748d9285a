import Dispatch
import EventLoop
import Glibc
import Purging
import Synchronization

// The file as the rest of the program has it: a database and its segments, one writer
// (`StoreRunner`), and readers on the loops.
// Must hold: no call made by a loop waits for the disk (`store`, `touch`, `remove`, `status` take a
// short lock and return); queued operations are visible to readers at once.

/// Records on disk, bounded in bytes. Opening never fails: without a usable file it says so and
/// goes on trying.
public final class RecordStore: Sendable {
    let shared: SharedState
    let runner: StoreRunner
    let check: DamageCheck
    /// For reading at length.
    private let visits = DispatchQueue(label: "refrain.cache.visits", qos: .utility)
    /// For `entries`.
    private let listings = DispatchQueue(label: "refrain.cache.listings", qos: .utility)

    private init(_ shared: SharedState, _ runner: StoreRunner) {
        (self.shared, self.runner) = (shared, runner)
        check = DamageCheck(shared, runner)
    }

    /// Opens or makes the file at `path`; its directory must exist. `maxBytes` bounds the stored
    /// bytes and the file. `classNames` names the class tags for operators, by index. `log` gets
    /// one line for each change of health. `lock` is that of the file, where the caller has it;
    /// otherwise it is taken as soon as it can be had, and until then there is no usable file.
    /// `origin`: the present upstream, to which the answers of a file belong that does not say.
    /// `isTemporary`: for one run that must be repeatable; nothing is written but by `flush`, and
    /// neither the disk nor a lock is waited for. `unixSeconds` is the wall clock.
    public static func open(
        path: String, maxBytes: Int, classNames: [String], owner: any RecordOwner, origin: Origin = .none,
        isTemporary: Bool, lock: StoreLock?, unixSeconds: @escaping @Sendable () -> Int64,
        log: @escaping @Sendable (String) -> Void
    ) -> RecordStore {
        // A run in virtual time knows no other.
        let clock = isTemporary ? { @Sendable in Int64.max } : unixSeconds
        let shared = SharedState(path: path, maxBytes: maxBytes, owner, origin: origin, unixSeconds: clock)
        let file = DatabaseFile(path: path, maxBytes: maxBytes, isTemporary: isTemporary, log: log)
        let hold = HeldFile(file, shared, classNames: classNames, lock: lock)
        let work = StoreWork(hold, shared, log: log)
        let store = RecordStore(shared, StoreRunner(work, shared, isTemporary: isTemporary))
        store.runner.start()
        return store
    }

    /// A reader for one loop. It opens its connection at the first look-up.
    public func makeReader() -> RecordReader { RecordReader(shared, runner) }

    // MARK: Writing

    /// Queues `record` in place of its key's older one. Never waits.
    /// - Parameter index: `record.key.index`.
    public func store(_ record: Record, _ index: Int64) {
        runner.enqueue(.store(WaitingRecord(record)), index)
    }

    /// Notes that the record of the key with that index was used; written with the next batch.
    public func touch(_ index: Int64, at unixSeconds: Int64) {
        let isFirst = shared.pending.withLock { pending in
            let isFirst = !pending.hasTouches
            pending.touch(index, at: unixSeconds)
            return isFirst && pending.hasTouches
        }
        if isFirst { runner.scheduleTouches() }
    }

    /// How often the use of a record is worth a `touch`.
    public var useInterval: UseInterval { shared.useInterval }

    /// Queues the removal of the record of the key with that index, if it was received by
    /// `receivedBy` (unix seconds); by default in any case.
    public func remove(_ index: Int64, receivedBy: Int64 = .max) {
        runner.enqueue(.remove(receivedBy: receivedBy), index)
    }

    /// Queues the removal of a damaged record, which is counted.
    public func removeDamaged(_ index: Int64, receivedBy: Int64 = .max) {
        runner.removeDamaged(index, receivedBy: receivedBy)
    }

    /// Queues a mark. A fact or rest is written after the operations before it; a purge is written
    /// before all that comes later.
    public func add(_ mark: StoreMark) {
        let (isKept, isFirst) = shared.pending.withLock { ($0.add(mark), $0.claim(.scheduled)) }
        if !isKept { runner.tell("too many purges wait for it: after a restart all of its answers count as purged") }
        runner.schedule(isFirst, 0)
    }

    /// Brings the marks of purges that wait to the disk at once, and tells whether it took them:
    /// from then on the next life knows these purges. `completion` runs on the writer's queue.
    public func sync(_ completion: @escaping @Sendable (Bool) -> Void) { runner.sync(completion) }

    /// Takes the queue and the rows that are there through a sweep, which judges each: those that a
    /// purge has chosen are removed or softened, in small steps between which the writer rests or
    /// does other work. One sweep at a time. `completion` gets the sweep with its counts, on the
    /// writer's queue.
    /// - Parameter now: where the freshness of the chosen ends, in unix seconds; 0: now.
    public func sweep(
        _ sweep: Sweep, at now: Int64, _ completion: @escaping @Sendable (Sweep, SweepEnd) -> Void
    ) {
        runner.sweep(sweep, at: now, completion)
    }

    /// Has `body` called, on any thread, whenever a sweep of the file may be owed and can be done.
    public func onOwedSweep(_ body: @escaping @Sendable () -> Void) {
        shared.resuming.withLock { $0.call = body }
        body()
    }

    /// Waits until everything queued is written, or has failed to be. For tests and shutdown, never
    /// on a loop.
    public func flush() {
        runner.queue.sync { runner.drain(isForced: true) }
    }

    /// Writes the queue and closes the file. Later operations are dropped.
    public func close() { runner.stop() }

    // MARK: Reading at length

    /// Hands up to `limit` records to `completion`. Queued operations are written before; the scan,
    /// and `completion`, run on a queue of their own.
    public func entries(
        _ selection: EntrySelection, limit: Int, in order: ListingOrder,
        _ completion: @escaping @Sendable ([ListedRecord]) -> Void
    ) {
        runner.queue.async { @Sendable [self] in
            runner.drain(isForced: false)
            listings.async { @Sendable [runner] in
                completion(runner.list(selection, limit: limit, in: order))
            }
        }
    }

    /// Goes through the records in the file, those written last first and each once, in the
    /// background: `body` gets one after the other until it returns false; then `completion` is
    /// told how many it got, those not counted for which it returned nil. Both run on a queue of
    /// the walk's own. Where the file cannot be read it ends early. A record may have been removed
    /// since it was read.
    public func visit(
        _ body: @escaping @Sendable (Record) -> Bool?, _ completion: @escaping @Sendable (_ visited: Int) -> Void
    ) {
        visits.async { @Sendable [shared, runner] in
            var walk = RecordWalk(shared, runner)
            walk.run(body)
            completion(walk.visited)
        }
    }

    /// Hands the marks of a table to `body`, before visits that begin later; none where the file
    /// cannot be read.
    public func visitMarks(_ table: StoreMark.Table, _ body: @escaping @Sendable ([StoreMark]) -> Void) {
        visits.async { @Sendable [shared] in
            let isOpen = shared.generation.load(ordering: .acquiring) > 0
            body(isOpen ? (try? Database(reading: shared.path).marks(table)) ?? [] : [])
        }
    }

    /// Rows and their sizes by class and storefront, ordered by these; nil where the file cannot be
    /// read. Goes through all rows: not for a loop.
    public var sizes: [(classTag: UInt8, storefront: String, entries: Int, bytes: Int)]? {
        var sizes: [(classTag: UInt8, storefront: String, entries: Int, bytes: Int)] = []
        guard shared.generation.load(ordering: .acquiring) > 0 else { return nil }
        do throws(SQLiteError) {
            let select = try Statement(
                try Database(reading: shared.path),
                "SELECT class, storefront, count(*), sum(size) FROM entry GROUP BY class, storefront ORDER BY 1, 2")
            try select.forEachRow([]) { row in
                let classTag = UInt8(truncatingIfNeeded: row.integer(0))
                sizes.append((classTag, row.text(1), Int(row.integer(2)), Int(row.integer(3))))
                return true
            }
            return sizes
        } catch {
            shared.counters.withLock { $0.failedReads += 1 }
            return nil
        }
    }

    /// How many bytes a second of the file are looked at in the background, 0 for none. From any
    /// thread; the first that is not 0 begins.
    public var checkRate: Int {
        get { check.rate }
        set { check.rate = newValue }
    }

    // MARK: Origins

    /// Sets the present upstream, which may be the same; the log says what the file has of
    /// others, once everything queued is written.
    public func use(_ origin: Origin) {
        shared.origins.withLock { origins in
            origins.removeAll { $0 == origin }
            origins.append(origin)
        }
        runner.queue.async { @Sendable [runner] in
            runner.drain(isForced: false)
            runner.work.withLock { $0.tellOrigins() }
        }
    }

    /// The records of each origin, home first; none where the file cannot be read. A look at a few
    /// rows.
    public var origins: [OriginRows] {
        guard shared.generation.load(ordering: .acquiring) > 0 else { return [] }
        return (try? OriginTable(Database(reading: shared.path)).shares) ?? []
    }

    // MARK: Status

    /// A snapshot.
    public var status: StoreStatus { shared.counters.withLock { $0 } }
    /// The disk that the file is on; nil where the file system does not tell.
    public var disk: DiskSpace? { DiskSpace(of: FilePath.folder(of: shared.path)) }
    /// Rows.
    public var entries: Int { status.entries }
    /// Stored bytes.
    public var byteCount: Int { status.byteCount }
    /// The limit on everything on disk, in bytes: records, indexes and log.
    public var maxBytes: Int { shared.maxBytes }
    public var health: StoreHealth { status.health }

    // MARK: Another process

    /// A descriptor by which another process holds the lock of the file too (`StoreLock`). It
    /// belongs to the caller; nil where there is nothing to hand over.
    public var copiedLock: CInt? { runner.work.withLock { $0.hold.copiedLock } }

    /// Writes the queue and lets go of the file but for reading. Later operations wait in memory,
    /// so that nothing is lost where the other process does not start. Never on a loop.
    public func lend() { runner.lend() }

    /// Goes on writing, with the operations that came meanwhile.
    public func takeBack() {
        runner.wait(for: .takeBack)
        flush()
    }

    /// The other process goes on for good; this one reads until it ends.
    public func noteHandedOver() {
        checkRate = 0
        runner.wait(for: .handOver)
    }
}
