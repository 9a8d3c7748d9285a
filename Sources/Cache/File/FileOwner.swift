import Freshness
import HTTP
import Purging
import Store

/// The meaning of the file's records and marks, for the store.
struct FileOwner: RecordOwner {
    let purges: Purges
    let gzip: Gzip

    func note(_ marks: [StoreMark]) {
        var (known, forgotten): ([PurgeList.Entry], Int64) = ([], 0)
        for mark in marks {
            guard case .time(let number) = mark.value else { continue }
            if let selection = EntrySelection(words: mark.key) {
                known.append(PurgeList.Entry(number: number, selection: selection, mode: .hard))
            } else {
                forgotten = max(forgotten, number)
            }
        }
        purges.restore(known, forgotten: forgotten, swept: .max)
    }

    func marks(of purge: Purge) -> [StoreMark] { [] }

    func capTimes(at now: Int64) -> Int { 0 }

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

extension StoreMark {
    init?(_ change: Purges.Change) {
        guard case .noted(let entry) = change else { return nil }
        self.init(table: .purged, key: entry.selection.words, value: .time(entry.number))
    }
}
