import Purging

/// A record as purges choose it.
public struct SelectableRecord: Selectable {
    let target: ArraySlice<UInt8>
    public let facts: RecordFacts

    public var storefront: [UInt8] { facts.storefront }
    public func answers(_ test: (ArraySlice<UInt8>) -> Bool) -> Bool { test(target) }
    public func mayBeOfClass(_ tag: UInt8) -> Bool { facts.classTag == tag }
    public func mayName(_ resource: UInt64) -> Bool { RecordFacts.mayName(resource, facts.resources) }
    public var named: [UInt64]? { facts.resources.last == RecordFacts.everyResource ? nil : facts.resources }
}
