import Freshness
import Glibc
import HTTP
import Store

// The file as a tier of answers: what `RecordStore` keeps as bytes.
// Must hold: personal and composed answers never reach the file; no call made by a loop waits for
// the disk.

/// Shared answers on disk, bounded in bytes.
public final class FileTier: Sendable {
    public let records: RecordStore
    let purgedTargets: PurgedTargets
    private let restorer: AnswerRestorer
    let useInterval: UseInterval

    private init(_ records: RecordStore, _ purgedTargets: PurgedTargets, _ gzip: Gzip) {
        (self.records, self.purgedTargets) = (records, purgedTargets)
        restorer = AnswerRestorer(records: records, gzip: gzip)
        useInterval = records.useInterval
    }

    /// Opens or makes the file at `path`, as `RecordStore.open` says.
    public static func open(
        path: String, maxBytes: Int, classNames: [String] = [], gzip: Gzip = .system, isTemporary: Bool = false,
        lock: StoreLock? = nil, unixSeconds: @escaping @Sendable () -> Int64 = { @Sendable in Int64(time(nil)) },
        log: @escaping @Sendable (String) -> Void
    ) -> FileTier {
        let purgedTargets = PurgedTargets()
        let records = RecordStore.open(
            path: path, maxBytes: maxBytes, classNames: classNames,
            owner: FileOwner(purgedTargets: purgedTargets, gzip: gzip), isTemporary: isTemporary, lock: lock,
            unixSeconds: unixSeconds, log: log)
        return FileTier(records, purgedTargets, gzip)
    }

    /// A reader for one loop.
    public func makeReader() -> FileReader { FileReader(records.makeReader(), restorer) }

    /// Queues `response` in place of what its key had; personal and composed ones are left out.
    /// `reader` is the caller's, where it has looked for the key.
    public func store(_ response: StoredResponse, _ reader: FileReader? = nil) {
        guard !response.key.isPersonal, response.composition == nil else { return }
        records.store(response.record, reader?.index(of: response.key) ?? response.key.index)
    }

    /// Notes that the entry of `key` was used.
    func touch(_ key: CacheKey, at unixSeconds: Int64) {
        if !key.isPersonal { records.touch(key.index, at: unixSeconds) }
    }

    /// Queues the removal of the entry of `key`, if it was received by `receivedBy` (unix seconds);
    /// by default in any case.
    func remove(_ key: CacheKey, receivedBy: Int64 = .max) {
        if !key.isPersonal { records.remove(key.index, receivedBy: receivedBy) }
    }

    /// Goes through the answers in the file, as `RecordStore.visit` says.
    func visit(
        _ body: @escaping @Sendable (StoredResponse) -> Bool,
        _ completion: @escaping @Sendable (_ visited: Int) -> Void = { _ in }
    ) {
        records.visit(
            { @Sendable [restorer] record in restorer.restored(record, at: CacheKey(record.key)).map(body) }, completion
        )
    }
}
