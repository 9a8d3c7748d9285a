import Freshness
import HTTP
import Purging
import Store

/// The meaning of the file's records and marks, for the store.
struct FileOwner: RecordOwner {
    let purgedTargets: PurgedTargets
    let gzip: Gzip

    func note(_ marks: [StoreMark]) {
        for mark in marks {
            if case .time(let time) = mark.value { purgedTargets.note(mark.key, at: time) }
        }
    }

    func marks(of purge: Purge) -> [StoreMark] { purgedTargets.marks(of: purge) }

    func capTimes(at now: Int64) -> Int { purgedTargets.cap(at: now) }

    /// Without zlib it cannot be checked, and stays.
    func canUse(_ record: Record) -> Bool {
        if case .damaged = StoredResponse.restored(record, at: CacheKey(record.key), by: gzip) { return false }
        return true
    }

    func aged(_ facts: RecordFacts, at now: Int64) -> RecordFacts.Times {
        let lifetime = Lifetime(facts.times)
        return RecordFacts.Times(lifetime.withoutFreshness(atAge: lifetime.age(since: facts.receivedAt, at: now)))
    }
}
