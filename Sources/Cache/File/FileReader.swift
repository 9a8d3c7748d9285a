import Store
import Synchronization

/// Looks answers up on disk. For the loop that made it.
public final class FileReader: Sendable {
    private let records: RecordReader
    private let restorer: AnswerRestorer
    private let recent = Mutex(RecentIndices())

    init(_ records: RecordReader, _ restorer: AnswerRestorer) {
        (self.records, self.restorer) = (records, restorer)
    }

    /// The stored response of `key`, whatever its freshness; nil where there is none, it is
    /// damaged, or the disk fails. `now` in unix seconds.
    public func lookup(_ key: CacheKey, at now: Int64) -> StoredResponse? {
        guard !key.isPersonal, let record = records.find(RecordKey(key), index(of: key), at: now) else { return nil }
        return restorer.restored(record, at: key)
    }

    /// The integer that finds the row of `key`, which it may have looked for a moment ago.
    func index(of key: CacheKey) -> Int64 { recent.withLock { $0.index(of: key) } }
}
