import Purging

/// A record, or a row of a listing, as purges find it.
protocol PurgeableRecord: Sendable {
    var target: ArraySlice<UInt8> { get }
    var facts: RecordFacts { get set }
}

extension PurgeableRecord {
    var selectable: SelectableRecord { SelectableRecord(target: target, facts: facts) }

    /// The rest of it after the purges since `swept` (`RecordOwner.sweptPurges`); nil where it is
    /// gone. `now` in unix seconds.
    func left(at now: Int64, since swept: Int64, _ owner: any RecordOwner) -> Self? {
        left(after: owner.verdict(on: selectable, since: swept), at: now, owner)
    }

    func left(after verdict: PurgeVerdict, at now: Int64, _ owner: any RecordOwner) -> Self? {
        switch verdict {
        case .untouched: return self
        case .gone: return nil
        case .stale:
            var rest = self
            // One that leads to others has no content that could be too old.
            if facts.isListed { rest.facts.times = owner.aged(facts, at: now) }
            return rest
        }
    }
}

extension Record: PurgeableRecord {
    var target: ArraySlice<UInt8> { key.target }
}
