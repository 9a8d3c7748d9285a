import Freshness
import HTTP
import Purging
import Store

/// The meaning of the file's records and marks, for the store.
struct FileOwner: RecordOwner {
    let purges: Purges
    let gzip: Gzip

    func note(_ marks: [StoreMark], _ dropWaiting: () -> Void) -> [StoreMark] {
        var (known, forgotten): ([PurgeList.Entry], Int64) = ([], 0)
        for mark in marks {
            guard case .purge(let number, let effect) = mark.value else { continue }
            if effect != .forgotten, let selection = EntrySelection(words: mark.key) {
                known.append(
                    PurgeList.Entry(number: number, selection: selection, mode: effect == .hard ? .hard : .soft))
            } else {
                forgotten = max(forgotten, number)
            }
        }
        let restored = purges.restore(known, forgotten: forgotten, dropWaiting)
        return StoreMark.marks(restored.missing, forgotten: restored.forgotten > forgotten ? restored.forgotten : 0)
    }

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
    /// The marks of purges, and of that number up to which they are forgotten; 0 where none are.
    static func marks(_ entries: [PurgeList.Entry], forgotten: Int64) -> [StoreMark] {
        let marks = entries.map { entry in
            StoreMark(purge: entry.number, entry.mode == .hard ? .hard : .soft, words: entry.selection.words)
        }
        return forgotten > 0 ? [StoreMark(purge: forgotten, .forgotten, words: [])] + marks : marks
    }
}
