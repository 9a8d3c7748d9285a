import Dispatch
import EventLoop
import Glibc
import HTTP
import Synchronization
import Text

// The SQLite tier as the rest of the program has it: a database and its segments, one writer
// (`StoreRunner`), and readers on the loops.
// Must hold: no call made by a loop waits for the disk (`store`, `touch`, `remove`, `status` take a
// short lock and return); personal and composed responses never reach the file; what is queued is
// visible to readers at once.

/// Shared responses on disk, bounded in bytes. Opening never fails: without a usable file it says
/// so and goes on trying.
public final class SQLiteStore: Sendable {
    let shared: StoreShared
    let runner: StoreRunner
    /// For reading at length.
    let visits = DispatchQueue(label: "refrain.cache.visits", qos: .utility)
    /// For `entries`.
    private let listings = DispatchQueue(label: "refrain.cache.listings", qos: .utility)
    /// For `StoreCheck`.
    let checks = DispatchQueue(label: "refrain.cache.checks", qos: .background)
    let check = Mutex(StoreCheck())
    let bytesCheckedPerSecond = Atomic<Int>(0)
    /// Counts up when checking begins: what was begun before ends.
    let checkRun = Atomic<Int>(0)

    private init(_ shared: StoreShared, _ runner: StoreRunner) {
        self.shared = shared
        self.runner = runner
    }

    /// Opens or makes the file at `path`; its directory must exist. `maxBytes` bounds the stored
    /// bytes and the file. `classNames` names the class tags for operators, by index. `log` gets
    /// one line for each change of health. `lock` is that of the file, where the caller has it;
    /// otherwise it is taken as soon as it can be had, and until then there is no usable file.
    /// `isTemporary`: for one run that must be repeatable; nothing is written but by `flush`, and
    /// neither the disk nor a lock is waited for. `unixSeconds` is the wall clock.
    public static func open(
        path: String, maxBytes: Int, classNames: [String] = [], gzip: Gzip = .system, isTemporary: Bool = false,
        lock: StoreLock? = nil, unixSeconds: @escaping @Sendable () -> Int64 = { @Sendable in Int64(time(nil)) },
        log: @escaping @Sendable (String) -> Void
    ) -> SQLiteStore {
        let shared = StoreShared(path: path, maxBytes: maxBytes, gzip: gzip)
        let file = StoreFile(path: path, maxBytes: maxBytes, isTemporary: isTemporary, log: log)
        let hold = StoreHold(file, shared, classNames: classNames, lock: lock)
        // A run in virtual time knows no other.
        let clock = isTemporary ? { @Sendable in Int64.max } : unixSeconds
        let work = StoreWork(hold, shared, unixSeconds: clock, log: log)
        let store = SQLiteStore(shared, StoreRunner(work, shared, isTemporary: isTemporary))
        store.runner.start { @Sendable code in
            let error = SystemError(call: "sched_setscheduler", errno: code)
            log("cache file \(path): no thread writes it that gives way to all others: \(error)")
        }
        return store
    }

    /// A reader for one loop. It opens its connection at the first look-up.
    public func makeReader() -> StoreReader { StoreReader(store: self) }

    // MARK: Writing

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
        let isFirst = shared.pending.withLock { pending in
            let isFirst = !pending.hasTouches
            pending.touch(index, at: unixSeconds)
            return isFirst && pending.hasTouches
        }
        if isFirst { runner.scheduleTouches() }
    }

    /// How often the use of an entry is worth a `touch`, in seconds.
    var useInterval: Int { shared.useInterval }

    /// Queues the removal of the entry of `key`, if it was received by `receivedBy` (unix seconds);
    /// by default in any case.
    func remove(_ key: CacheKey, receivedBy: Int64 = .max) {
        guard !key.isPersonal else { return }
        enqueue(.remove(receivedBy: receivedBy), Self.index(of: key))
    }

    private func enqueue(_ operation: PendingWrites.Operation, _ index: Int64) {
        let (admission, isFirst, byteCount) = shared.pending.withLock { pending in
            let admission = pending.enqueue(operation, index, isInFile: shared.directory.find(index) != .absent)
            return (admission, pending.claim(.scheduled), pending.byteCount)
        }
        if case .store = operation, admission != .taken { shared.counters.withLock { $0.dropped += 1 } }
        if admission == .overflown {
            runner.purge(Purge(selection: EntrySelection(), mode: .hard, now: .min), found: PurgeCount()) { _ in }
            shared.pending.withLock { $0.forgetRemovals() }
        }
        runner.schedule(isFirst, byteCount)
    }

    /// Queues a mark, to be written after the operations before it; a fact also after all purges.
    func add(_ mark: StoreMark) {
        let isFirst = shared.pending.withLock { pending in
            pending.add(mark)
            return pending.claim(.scheduled)
        }
        runner.schedule(isFirst, 0)
    }

    /// Counts a row that is not what was written, and removes it.
    func removeDamaged(_ key: CacheKey, receivedBy: Int64 = .max) {
        shared.counters.withLock { $0.damaged += 1 }
        remove(key, receivedBy: receivedBy)
    }

    /// Applies a purge to what is queued and to the file, and tells how many answers were chosen,
    /// those that were `found` elsewhere included; nil where another process writes the file, or
    /// nothing can be counted. From now on nothing that it chose comes out of the file as it was,
    /// whether the disk takes the purge now or later. `completion` runs on the writer's queue.
    func purge(
        _ purge: Purge, found: PurgeCount = PurgeCount(), _ completion: @escaping @Sendable (Int?) -> Void
    ) {
        runner.purge(purge, found: found, completion)
    }

    /// Hands up to `limit` entries, the most recently used first, to `completion`. What is queued
    /// is written before; the scan, and `completion`, run on a queue of their own.
    func entries(
        _ selection: EntrySelection, limit: Int, _ completion: @escaping @Sendable ([StoredEntry]) -> Void
    ) {
        runner.queue.async { @Sendable [self] in
            runner.drain(isForced: false)
            listings.async { @Sendable [self] in completion(list(selection, limit: limit)) }
        }
    }

    /// Waits until everything queued is written, or has failed to be. For tests and shutdown, never
    /// on a loop.
    public func flush() {
        runner.queue.sync { runner.drain(isForced: true) }
    }

    /// Writes what is queued and closes the file. What comes later is dropped.
    public func close() { runner.stop() }

    // MARK: Status

    /// A snapshot.
    public var status: StoreStatus { shared.counters.withLock { $0 } }
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

    // MARK: Another process

    /// A descriptor by which another process holds the lock of the file too (`StoreLock`). It
    /// belongs to the caller; nil where there is nothing to hand over.
    public var copiedLock: CInt? { runner.work.withLock { $0.hold.copiedLock } }

    /// Writes what is queued and lets go of the file but for reading. What comes from then on waits
    /// in memory, so that nothing is lost where the other process does not come to be. Never on a
    /// loop.
    public func lend() { runner.lend() }

    /// Goes on writing, with what has come meanwhile.
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
