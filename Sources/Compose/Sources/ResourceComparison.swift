import AppleMusic
import Text

// Whether two answers can show one revision of a resource. Pure.
// Must hold: attributes are compared as values, lists by their ids in order; members that only one
// of the two shows say nothing.

extension Candidate {
    /// Whether the two cannot be of one revision: they differ in an attribute, or in the ids of a
    /// relationship, that both show.
    func contradicts(_ other: Candidate) -> Bool {
        differsInAttributes(from: other) || differsInRelations(from: other)
    }

    /// Whether the attributes are all the same, byte for byte or in another order.
    func hasSameAttributes(as other: Candidate) -> Bool {
        guard object.attributeNames == other.object.attributeNames else { return false }
        return object.attributeSum == other.object.attributeSum || !differsInAttributes(from: other)
    }

    private func differsInAttributes(from other: Candidate) -> Bool {
        if object.attributeSum == other.object.attributeSum { return false }
        // The origin may write the members in any order (APPLE-MUSIC-API 5.1.2).
        guard !object.attributes.isEmpty, !other.object.attributes.isEmpty else { return false }
        guard max(object.attributes.count, other.object.attributes.count) <= Self.mostCompared else { return true }
        guard case .object(let own)? = try? JSON.parse(attributeBytes),
            case .object(let others)? = try? JSON.parse(other.attributeBytes)
        else { return true }
        return own.members.contains { member in
            others[member.key].map { JSONDifference.first(expected: member.value, found: $0) != nil } ?? false
        }
    }

    /// Larger attributes, in bytes, count as others where a byte differs: as values they take
    /// twenty times the memory. Recorded ones have 9 KB at most.
    private static let mostCompared = 64 << 10

    private var attributeBytes: [UInt8] { Array(part.document.body[object.attributes.range]) }

    private func differsInRelations(from other: Candidate) -> Bool {
        part.document.relations(of: object).contains { relation in
            guard !relation.data.isEmpty,
                let shown = other.part.document.relation(relation.name, of: other.object), !shown.data.isEmpty
            else { return false }
            return part.document.list(relation).contradicts(other.part.document.list(shown))
        }
    }
}

/// The beginning of a list: its items from one offset on, and whether the list ends with them.
struct ListBeginning {
    let items: MappedDocument.Elements
    let isWhole: Bool

    /// Whether two beginnings at the same offset cannot be of one revision of the list. Both cut
    /// the list at the same place or the one goes on, however gaps are dropped.
    func contradicts(_ other: ListBeginning) -> Bool {
        var (own, others) = (items, other.items)
        while true {
            switch (own.next(), others.next()) {
            case (nil, nil): return false
            case (nil, _): return isWhole
            case (_, nil): return other.isWhole
            case (let item?, let another?): if item.number != another.number { return true }
            }
        }
    }
}

extension MappedDocument {
    func list(_ relation: Relation) -> ListBeginning {
        ListBeginning(items: elements(of: relation), isWhole: relation.next.isEmpty)
    }

    /// A number for the name and the ids of a list, in their order.
    static func sum(of items: Elements, named name: UInt64) -> UInt64 {
        var sum = Checksum()
        sum.combine(name)
        for item in items { sum.combine(item.number) }
        return sum.value
    }

    /// A number for the names and ids in the relationships of an object, whatever their order; 0
    /// for none.
    func relationSum(of object: Object) -> UInt32 {
        var sum: UInt64 = 0
        for relation in relations(of: object) where !relation.data.isEmpty {
            sum &+= Self.sum(of: elements(of: relation), named: relation.name)
        }
        return sum == 0 ? 0 : max(1, UInt32(sum >> (64 - IndexedPlace.sumBits)))
    }
}
