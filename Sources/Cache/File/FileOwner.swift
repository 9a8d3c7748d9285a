import Freshness
import HTTP
import Purging
import Store

/// The meaning of the file's records and marks, for the store.
struct FileOwner: RecordOwner {
    let purges: Purges
    let gzip: Gzip

    func note(_ marks: [StoreMark], _ dropWaiting: () -> Void) -> [StoreMark] {
        var (known, forgotten, swept): ([PurgeList.Entry], Int64, Int64) = ([], 0, 0)
        for mark in marks {
            guard case .purge(let number, let effect) = mark.value else { continue }
            if effect == .swept {
                swept = max(swept, number)
            } else if effect != .forgotten, let selection = EntrySelection(words: mark.key) {
                known.append(
                    PurgeList.Entry(number: number, selection: selection, mode: effect == .hard ? .hard : .soft))
            } else {
                forgotten = max(forgotten, number)
            }
        }
        return purges.restore(known, forgotten: forgotten, swept: swept, dropWaiting).map(StoreMark.init)
    }

    var sweptPurges: Int64 { purges.swept }

    func verdict(on record: SelectableRecord, since swept: Int64) -> PurgeVerdict {
        purges.verdict(on: record, since: max(record.facts.born, swept))
    }

    func purgeAll() { purges.note(EntrySelection(), .hard) }

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
    init(_ change: Purges.Change) {
        switch change {
        case .noted(let entry):
            self.init(purge: entry.number, entry.mode == .hard ? .hard : .soft, words: entry.selection.words)
        case .forgotten(let number): self.init(purge: number, .forgotten, words: [])
        case .swept(let number): self.init(purge: number, .swept, words: [])
        }
    }
}
