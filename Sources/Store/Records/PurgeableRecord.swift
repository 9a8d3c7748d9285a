import Purging

/// A record, or a row of a listing, as purges find it.
protocol PurgeableRecord: Sendable {
    var target: ArraySlice<UInt8> { get }
    var facts: RecordFacts { get set }
}

extension PurgeableRecord {
    func isChosen(by selection: EntrySelection) -> Bool {
        selection.chooses(SelectableRecord(target: target, facts: facts))
    }

    /// The rest of a chosen one; nil where it goes.
    func left(by purge: Purge, _ owner: any RecordOwner) -> Self? {
        if purge.mode == .hard { return nil }
        var rest = self
        // One that leads to others has no content that could be too old.
        if purge.mode == .soft, facts.isListed { rest.facts.times = owner.aged(facts, at: purge.now) }
        return rest
    }
}

private struct SelectableRecord: Selectable {
    let target: ArraySlice<UInt8>
    let facts: RecordFacts

    var storefront: [UInt8] { facts.storefront }
    func answers(_ test: (ArraySlice<UInt8>) -> Bool) -> Bool { test(target) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { facts.classTag == tag }
    func mayName(_ resource: UInt64) -> Bool { RecordFacts.mayName(resource, facts.resources) }
    var named: [UInt64]? { facts.resources.last == RecordFacts.everyResource ? nil : facts.resources }
}

extension Record: PurgeableRecord {
    var target: ArraySlice<UInt8> { key.target }
}
