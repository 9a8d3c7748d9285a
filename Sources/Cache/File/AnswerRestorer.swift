import HTTP
import Store

/// Makes answers of the file's records.
struct AnswerRestorer: Sendable {
    let records: RecordStore
    /// Reads what the file has coded; without it such answers are not found.
    let gzip: Gzip

    /// The answer of a record of the file. It is removed where it turns out, now or later, that its
    /// content cannot be inflated.
    func restored(_ record: Record, at key: CacheKey) -> StoredResponse? {
        let restored = StoredResponse.restored(record, at: key, by: gzip) {
            // The digest of the key is worked out where it is needed.
            let (key, receivedAt) = (record.key, record.facts.receivedAt)
            return { [weak records] in records?.removeDamaged(key.index, receivedBy: receivedAt) }
        }
        switch restored {
        case .response(let response): return response
        case .unreadable: return nil
        case .damaged:
            records.removeDamaged(record.key.index, receivedBy: record.facts.receivedAt)
            return nil
        }
    }
}
