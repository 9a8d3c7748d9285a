import Purging
import Store

// Purges of answers in memory.

extension StoredResponse: Selectable {
    /// Whether purges count it. A composed answer goes with any of its parts.
    var countsAsEntry: Bool { !isVariantIndex && composition == nil }

    public func answers(_ test: (ArraySlice<UInt8>) -> Bool) -> Bool {
        test(key.target) || composition?.parts.contains { test($0.target) } ?? false
    }

    /// The classes of parts are not kept, so a composed answer counts as of all classes.
    public func mayBeOfClass(_ tag: UInt8) -> Bool { composition != nil || classTag == tag }

    /// Whether the content names the resource of this number, as far as anyone can tell.
    public func mayName(_ resource: UInt64) -> Bool {
        RecordFacts.mayName(resource, resources)
            || composition?.named.contains(where: { RecordFacts.mayName(resource, $0) }) ?? false
    }

    public var named: [UInt64]? {
        guard resources.last != Self.everyResource else { return nil }
        guard let composition else { return resources }
        let parts = composition.named.contains { $0.last == Self.everyResource }
        return parts ? nil : resources + composition.named.joined()
    }
}
