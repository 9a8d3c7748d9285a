import AppleMusic
import Text

// The names of attributes that resources of one type were seen with, by placement. Pure.
// Must hold: a name that was seen stays; nothing is said of a combination whose names are unknown;
// at most `most` names and `mostCombinations` combinations are kept.

/// Some of the names of one type's attributes, by their indices in `AttributeNames`.
struct NameSet: Sendable, Equatable {
    private var words = InlineArray<4, UInt64>(repeating: 0)

    mutating func insert(_ index: UInt8) { words[Int(index >> 6)] |= 1 << UInt64(index & 63) }

    mutating func formUnion(_ other: NameSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    func isSubset(of other: NameSet) -> Bool {
        for index in words.indices where words[index] & ~other.words[index] != 0 { return false }
        return true
    }

    static func == (one: NameSet, other: NameSet) -> Bool { one.isSubset(of: other) && other.isSubset(of: one) }
}

/// The attribute names that each placement was seen to show, for one type in one storefront.
///
/// Resources have some of their type's names each; answers repeat a few combinations of them,
/// which a document tells apart by a number (`ResourceDocument.Object.attributeNames`). Only a new
/// combination is looked at name by name.
struct AttributeNames: Sendable {
    private var indices: [UInt64: UInt8] = [:]
    private var combinations: [UInt64: NameSet] = [:]
    private var shown = [NameSet](repeating: NameSet(), count: Placement.allCases.count)
    /// Nothing can be said of types with more names.
    private(set) var areTooMany = false

    /// Limit of names, more than the API has of any type (APPLE-MUSIC-API 5.2: 30); beyond, no two
    /// placements show the same.
    static let most = 256
    /// Limit of combinations; recorded answers have fewer of any type. Beyond, all are learnt
    /// again.
    static let mostCombinations = 1_024

    /// Notes a resource with this combination; false where its names are unknown.
    mutating func note(_ combination: UInt64, in placement: Placement) -> Bool {
        guard let names = combinations[combination] else { return areTooMany }
        shown[Int(placement.rawValue)].formUnion(names)
        return true
    }

    /// Learns the names of a combination.
    mutating func learn(_ combination: UInt64, _ names: [UInt64]) {
        if combinations.count >= Self.mostCombinations { combinations = [:] }
        var set = NameSet()
        for name in names {
            guard let index = index(of: name) else {
                areTooMany = true
                return
            }
            set.insert(index)
        }
        combinations[combination] = set
    }

    private mutating func index(of name: UInt64) -> UInt8? {
        if let known = indices[name] { return known }
        guard indices.count < Self.most else { return nil }
        let index = UInt8(indices.count)
        indices[name] = index
        return index
    }

    /// Whether the one placement was seen to show every name that the other was.
    func covers(_ one: Placement, _ other: Placement) -> Bool {
        !areTooMany && shown[Int(other.rawValue)].isSubset(of: shown[Int(one.rawValue)])
    }

    /// Whether a placement was seen to show every name of a combination.
    func shows(_ combination: UInt64, in placement: Placement) -> Bool {
        combinations[combination].map { $0.isSubset(of: shown[Int(placement.rawValue)]) } ?? false
    }
}

extension MappedDocument {
    /// The numbers of the names of an object's attributes; nil where they are too many bytes to be
    /// looked at.
    func attributeNames(of object: Object) -> [UInt64]? {
        attributes(of: object)?.members.map { ResourceDocument.nameNumber(Array($0.key.utf8).span) }
    }

    /// The attributes as values; nil where they are too many bytes to be looked at.
    func attributes(of object: Object) -> JSONObject? {
        guard object.attributes.count <= Self.mostParsed,
            case .object(let attributes)? = try? JSON.parse(Array(body[object.attributes.range]))
        else { return nil }
        return attributes
    }

    /// Attributes above this are not parsed: as values they take twenty times the memory. Recorded
    /// ones have 9 KB at most.
    private static let mostParsed = 256 << 10
}
