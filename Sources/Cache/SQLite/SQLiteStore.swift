import Dispatch
import EventLoop
import Freshness
import HTTP
import Synchronization
import Text

// The SQLite tier: one database and the segments beside it, one writer behind a lock, which works
// on a thread and a queue of its own, and readers on the loops.
// Must hold: no call made by a loop waits for the disk (`store`, `touch`, `remove`, `status` take a
// short lock and return); personal and composed responses never reach the file; what is queued is
// visible to readers at once. Lock order: writer, a reader's, then pending or status, never both,
// then the directory's; nothing is logged under pending or status.

/// Shared responses on disk, bounded in bytes. Opening never fails: without a usable file it says
/// so and goes on trying.
public final class SQLiteStore: Sendable {
    let path: String
    let pending = Mutex(PendingWrites())
    let counters = Mutex(StoreStatus())
    /// The number of the file that is open, 0 while none is; a reader with another number opens
    /// anew.
    let generation = Atomic<Int>(0)
    let segments: Segments
    let directory: KeyDirectory
    let purgedTargets = PurgedTargets()
    /// Reads what the file has coded; without it such answers are not found.
    let gzip: Gzip
    private let secondsBetweenUses = Atomic<Int>(StoreBounds.useInterval(span: 0))
    let writer: Mutex<StoreWriter>
    /// Writes what is pending as long as that is enough.
    let idle = IdleWriter()
    /// Writes the rest, and does all else that takes the writer. Its thread gives way to the loops
    /// too, but has a share of a busy machine (niceness 10).
    let queue = DispatchQueue(label: "refrain.cache.writer", qos: .background)
    /// Whether what is queued waits for `flush`: batches, and so what is evicted for them, are no
    /// matter of chance then.
    private let isTemporary: Bool
    /// For `StoreVisit`.
    let visits = DispatchQueue(label: "refrain.cache.visits", qos: .utility)
    /// For `entries`.
    private let listings = DispatchQueue(label: "refrain.cache.listings", qos: .utility)
    /// For `StoreCheck`.
    let checks = DispatchQueue(label: "refrain.cache.checks", qos: .background)
    let check = Mutex(StoreCheck())
    let bytesCheckedPerSecond = Atomic<Int>(0)
    /// Counts up when checking begins: what was begun before ends.
    let checkRun = Atomic<Int>(0)
    /// The longest that last-use times wait for a write to go along with.
    private static let touchDelay = DispatchTimeInterval.seconds(15)
    /// How long what is queued waits for company.
    private static let gathering = DispatchTimeInterval.milliseconds(100)
    /// With so many bytes it does not wait.
    private static let gatheredBytes = 4 << 20
    /// The pause after a failure. Caching resumes within five seconds once a disk has space again
    /// (FRAMING 8.2).
    private static let retryDelay = DispatchTimeInterval.seconds(1)

    private init(
        path: String, maxBytes: Int, classNames: [String], gzip: Gzip, isTemporary: Bool, lock: StoreLock?,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        segments = Segments(besides: path)
        directory = KeyDirectory(mostKeys: StoreMemory.mostKeys(cacheSize: maxBytes))
        self.isTemporary = isTemporary
        self.gzip = gzip
        writer = Mutex(
            StoreWriter(
                path: path, maxBytes: maxBytes, isTemporary: isTemporary, classNames: classNames, lock: lock, log: log))
    }

    deinit {
        idle.end()
    }

    /// Opens or makes the file at `path`; its directory must exist. `maxBytes` bounds the stored
    /// bytes and the file. `classNames` names the class tags for operators, by index. `log` gets
    /// one line for each change of fortune. `lock` is that of the file, where the caller has it;
    /// otherwise it is taken as soon as it can be had, and until then there is no usable file.
    /// `isTemporary`: for one run that must be repeatable; nothing is written but by `flush`, and
    /// neither the disk nor a lock is waited for.
    public static func open(
        path: String, maxBytes: Int, classNames: [String] = [], gzip: Gzip = .system, isTemporary: Bool = false,
        lock: StoreLock? = nil, log: @escaping @Sendable (String) -> Void
    ) -> SQLiteStore {
        let store = SQLiteStore(
            path: path, maxBytes: maxBytes, classNames: classNames, gzip: gzip, isTemporary: isTemporary, lock: lock,
            log: log)
        if !store.writer.withLock({ $0.open(for: store) }) { store.tryAgainLater() }
        store.learn()
        if !isTemporary {
            store.idle.start { @Sendable [weak store] in
                store?.writeIdly()
            } note: { code in
                let error = SystemError(call: "sched_setscheduler", errno: code)
                log("cache file \(path): no thread writes it that gives way to all others: \(error)")
            }
        }
        return store
    }

    /// A reader for one loop. It opens its connection at the first look-up.
    public func makeReader() -> StoreReader { StoreReader(store: self) }

    /// Queues `response` in place of what its key had. Never waits; personal responses and composed
    /// ones are left out. `reader` is the caller's, where it has looked for the key.
    public func store(_ response: StoredResponse, _ reader: StoreReader? = nil) {
        guard !response.key.isPersonal, response.composition == nil else { return }
        let index = reader?.index(of: response.key) ?? Self.index(of: response.key)
        enqueue(.store(response), index)
    }

    /// Notes that the entry of `key` was used; written with the next batch.
    func touch(_ key: CacheKey, at unixSeconds: Int64) {
        guard !key.isPersonal else { return }
        let index = Self.index(of: key)
        let isFirst = pending.withLock { pending in
            let isFirst = !pending.hasTouches
            pending.touch(index, at: unixSeconds)
            return isFirst
        }
        guard isFirst, !isTemporary else { return }
        queue.asyncAfter(deadline: .now() + Self.touchDelay) { @Sendable [weak self] in self?.writeBehind() }
    }

    /// How often the use of an entry is worth a `touch`, in seconds.
    var useInterval: Int {
        get { secondsBetweenUses.load(ordering: .relaxed) }
        set { secondsBetweenUses.store(newValue, ordering: .relaxed) }
    }

    /// Queues the removal of the entry of `key`, if it was received by `receivedBy` (unix seconds);
    /// by default in any case.
    func remove(_ key: CacheKey, receivedBy: Int64 = .max) {
        guard !key.isPersonal else { return }
        let index = Self.index(of: key)
        enqueue(.remove(key, receivedBy: receivedBy), index)
    }

    private func enqueue(_ operation: PendingWrites.Operation, _ index: Int64) {
        let (isTaken, isFirst, byteCount) = pending.withLock { pending in
            let isTaken = pending.enqueue(operation, index, isInFile: directory.find(index) != .absent)
            return (isTaken, pending.claim(.scheduled), pending.byteCount)
        }
        if !isTaken { counters.withLock { $0.dropped += 1 } }
        scheduleDrain(isFirst, byteCount)
    }

    /// Counts a row that is not what was written, and removes it.
    func removeDamaged(_ key: CacheKey, receivedBy: Int64 = .max) {
        counters.withLock { $0.damaged += 1 }
        remove(key, receivedBy: receivedBy)
    }

    /// Applies a purge after all that is queued, in small steps between which the writer rests or
    /// does other work (`WorkPace`), and then tells how many answers were chosen, those that were
    /// `found` elsewhere included; nil where the file could not be changed. `completion` runs on
    /// the writer's queue.
    func purge(
        _ purge: Purge, found: PurgeCount = PurgeCount(), _ completion: @escaping @Sendable (Int?) -> Void
    ) {
        queue.async { @Sendable [self] in
            drain()
            goOn(writer.withLock { $0.beginPurge(purge, found, for: self) }, completion)
        }
    }

    private func goOn(_ purge: StorePurge, _ completion: @escaping @Sendable (Int?) -> Void) {
        var next = purge
        let begun = DispatchTime.now().uptimeNanoseconds
        guard writer.withLock({ $0.advance(&next, for: self) }) else { return completion(nil) }
        guard !next.isDone else { return completion(remember(next.purge) ? next.count.total : nil) }
        let rest = isTemporary ? 0 : WorkPace.rest(after: DispatchTime.now().uptimeNanoseconds - begun)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: rest))) { @Sendable [self, next] in
            goOn(next, completion)
        }
    }

    /// Hands up to `limit` entries, the most recently used first, to `completion`. What is queued
    /// is written before; the scan, and `completion`, run on a queue of their own.
    func entries(
        _ selection: EntrySelection, limit: Int, _ completion: @escaping @Sendable ([StoredEntry]) -> Void
    ) {
        queue.async { @Sendable [self] in
            drain()
            listings.async { @Sendable [self] in completion(list(selection, limit: limit)) }
        }
    }

    /// Waits until everything queued is written, or has failed to be. For tests and shutdown, never
    /// on a loop.
    public func flush() {
        queue.sync { drain() }
    }

    /// Writes what is queued and closes the file. What comes later is dropped.
    public func close() {
        queue.sync {
            drain()
            writer.withLock { $0.close(for: self) }
        }
    }

    /// How the store fares.
    public var status: StoreStatus { counters.withLock { $0 } }
    /// Rows.
    public var entries: Int { status.entries }
    /// Stored bytes.
    public var byteCount: Int { status.byteCount }
    public var health: StoreHealth { status.health }

    /// The integer that finds a key's row: the first 64 bits of its SHA-256, or, without
    /// libcrypto's help, a value that finds nothing. Rows are compared by their whole key anyway.
    static func index(of key: CacheKey) -> Int64 {
        Int64(bitPattern: key.bytes.withUnsafeBytes { Digest.sha256Head($0) } ?? 0)
    }

    /// A reader found the file damaged: it is looked at, unless it has been replaced since.
    func reportDamage(_ reason: String, generation damaged: Int) {
        queue.async { @Sendable [self] in
            guard generation.load(ordering: .acquiring) == damaged else { return }
            writer.withLock { $0.noteDamage(reason, byWriter: false, for: self) }
        }
    }

    /// Reads what the directory is to know, step by step; what is stored meanwhile is written
    /// between two of them.
    func learn() {
        guard !directory.isComplete, generation.load(ordering: .acquiring) > 0 else { return }
        queue.async { @Sendable [weak self] in
            guard let self, writer.withLock({ $0.learn(for: self) }) else { return }
            learn()
        }
    }

    /// After an operation was queued. What comes within `gathering` is written together: the pages
    /// that it changes are mostly the same.
    private func scheduleDrain(_ isFirst: Bool, _ byteCount: Int) {
        guard !isTemporary else { return }
        if isFirst {
            begin(.scheduled, after: Self.gathering) { $0.writeBehind() }
        } else if byteCount >= Self.gatheredBytes, pending.withLock({ $0.claim(.early) }) {
            begin(.early, after: .seconds(0)) { $0.drain() }
        }
    }

    private func begin(
        _ drain: PendingWrites.Drain, after delay: DispatchTimeInterval,
        _ write: @escaping @Sendable (SQLiteStore) -> Void
    ) {
        queue.asyncAfter(deadline: .now() + delay) { @Sendable [weak self] in
            guard let self else { return }
            pending.withLock { $0.begin(drain) }
            write(self)
        }
    }

    /// Nobody waits for it.
    private func writeBehind() {
        if !idle.ask() { drain() }
    }

    /// Writes batch after batch until nothing is left, or one fails; then tries again later. On the
    /// queue.
    func drain() {
        idle.overtake()
        if !writer.withLock({ $0.drain(for: self) }) { tryAgainLater() }
    }

    private func tryAgainLater() {
        guard pending.withLock({ $0.claim(.scheduled) }) else { return }
        begin(.scheduled, after: Self.retryDelay) { $0.drain() }
    }
}

// Listings for operators.

/// One row of a listing, for operators.
public struct StoredEntry: Sendable, Equatable {
    /// Canonical path and query.
    public let target: String
    public let variant: String
    public let storefront: String
    public let classTag: UInt8
    public let status: Int
    /// Unix seconds.
    public let receivedAt: Int64
    public let lifetime: Lifetime
    /// Bytes of target, variant, fields and body.
    public let size: Int
    /// The content coding in which the body is kept; nil where there is none.
    public internal(set) var coding: String?
    /// Unix seconds, to about a minute; nil where it is not recorded.
    public let lastUsed: Int64?
}

extension StoredEntry {
    /// Under which it is found; nil where the file is damaged: no key has these parts.
    var key: CacheKey? {
        if variant.utf8.contains(0) { return nil }
        return CacheKey(scope: .shared, target: Array(target.utf8), variant: Array(variant.utf8))
    }

    /// What a listing says of an answer in memory, where the time of the last use is not recorded.
    init(_ response: StoredResponse) {
        target = String(decoding: response.key.target, as: UTF8.self)
        variant = String(decoding: response.key.variant, as: UTF8.self)
        storefront = String(decoding: response.storefront, as: UTF8.self)
        classTag = response.classTag
        status = response.status
        receivedAt = response.receivedAt
        lifetime = response.lifetime
        size = response.filedSize
        coding = response.gzip == nil ? Self.coding(response.fields.span) : "gzip"
        lastUsed = nil
    }

    /// What `Content-Encoding` says in these lines.
    fileprivate static func coding(_ fields: Span<UInt8>) -> String? {
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            guard line.id == .contentEncoding else { continue }
            return line.value.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar(fields[$1])) }
        }
        return nil
    }
}

extension SQLiteStore {
    /// Up to `limit` answers, the most recently used first; none where the file cannot be read.
    func list(_ selection: EntrySelection, limit: Int) -> [StoredEntry] {
        let current = generation.load(ordering: .acquiring)
        guard current > 0 else { return [] }
        var entries: [StoredEntry] = []
        do throws(SQLiteError) {
            let (condition, values) = selection.condition(from: 1)
            let select = try Statement(
                try openForReading(),
                """
                SELECT target, variant, storefront, class, status, received_at, fresh_for, stale_for, stale_if_error_for,
                  keep_for, initial_age, size, last_used, place, is_gzip
                FROM entry WHERE selecting = '' AND \(condition) ORDER BY last_used DESC LIMIT \(max(limit, 0))
                """)
            var places: [Place?] = []
            try select.forEachRow(values) { row in
                entries.append(StoredEntry(row))
                places.append(row.integer(14) == 0 ? Place(ofRow: row.integer(13)) : nil)
                return true
            }
            for (index, place) in places.enumerated() {
                guard let place else { continue }
                entries[index].coding = try segments.read(place) { SegmentRecord.fields($0) }?
                    .flatMap { StoredEntry.coding($0.span) }
            }
        } catch {
            counters.withLock { $0.failedReads += 1 }
            if error.isDamage { reportDamage("\(error)", generation: current) }
            return []
        }
        return entries
    }

    /// A connection for code that reads at length in the background: neither a loop nor the writer
    /// waits for it.
    func openForReading() throws(SQLiteError) -> Database {
        let database = try Database(path: path, mode: .readOnly, busyTimeout: .zero)
        try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -1024")
        return database
    }
}

extension StoredEntry {
    fileprivate init(_ row: Row) {
        func number(_ column: Int32) -> Int { Int(row.integer(column)) }
        target = row.text(0)
        variant = row.text(1)
        storefront = row.text(2)
        classTag = UInt8(truncatingIfNeeded: row.integer(3))
        status = number(4)
        receivedAt = row.integer(5)
        lifetime = Lifetime(
            freshFor: number(6), staleFor: number(7), staleIfErrorFor: number(8), keepFor: number(9),
            initialAge: number(10))
        size = number(11)
        lastUsed = row.integer(12)
        coding = row.integer(14) == 0 ? nil : "gzip"
    }
}
