import Cache

/// Where in an answer a resource is (APPLE-MUSIC-API 5.3): the same resource may look different
/// in each.
enum Placement: UInt8, CaseIterable, Sendable {
    /// The resource of `/{type}/{id}`.
    case item
    /// One of those of `?ids=`.
    case batched
    /// An element of a relationship of another resource.
    case included
    /// An element of a view of another resource.
    case viewed
    /// An element of a relationship or view that was asked for by its path.
    case listed
    /// A result of a search or a chart.
    case found

    /// Whether the request asked for it by its id.
    var isPrimary: Bool { self == .item || self == .batched }
}

/// Which placements show the same attributes, for one type; learnt from resources that were seen
/// in both. Pure.
///
/// Attributes that differ in their names may be the catalog's change between two answers, so a
/// single difference suspends an agreement and a run of agreements brings it back.
struct PlacementAgreement: Sendable {
    private struct Pair: Sendable {
        var agreements: UInt8 = 0
        var needed: UInt8 = 1
    }

    private var pairs = [Pair](repeating: Pair(), count: Placement.allCases.count * Placement.allCases.count)

    /// Agreements in a row that are needed after a difference.
    private static let neededAfterDifference: UInt8 = 4

    /// The same resource was seen in two placements; false where that contradicts an agreement.
    mutating func note(_ one: Placement, _ other: Placement, isEqual: Bool) -> Bool {
        let index = Self.index(one, other)
        let wasKnown = isKnown(index)
        if isEqual {
            pairs[index].agreements = min(pairs[index].agreements + 1, Self.neededAfterDifference)
        } else {
            pairs[index] = Pair(agreements: 0, needed: Self.neededAfterDifference)
        }
        return isEqual || !wasKnown
    }

    /// Whether a resource shows the same in both placements.
    func holds(_ one: Placement, _ other: Placement) -> Bool {
        if one == other || isKnown(Self.index(one, other)) { return true }
        // A third placement that both agree with.
        return Placement.allCases.contains { third in
            third != one && third != other && isKnown(Self.index(one, third)) && isKnown(Self.index(third, other))
                && pairs[Self.index(one, other)].needed == 1
        }
    }

    /// The same, if nothing speaks against it, with two placements that are known to agree by other
    /// means.
    func assuming(_ one: Placement, _ other: Placement) -> PlacementAgreement {
        var assumed = self
        let index = Self.index(one, other)
        if pairs[index].needed == 1 { assumed.pairs[index].agreements = 1 }
        return assumed
    }

    /// Whether they were seen to differ, and have not agreed often enough since.
    func isRefuted(_ one: Placement, _ other: Placement) -> Bool {
        let pair = pairs[Self.index(one, other)]
        return pair.needed > 1 && pair.agreements < pair.needed
    }

    private func isKnown(_ index: Int) -> Bool { pairs[index].agreements >= pairs[index].needed }

    private static func index(_ one: Placement, _ other: Placement) -> Int {
        Int(min(one.rawValue, other.rawValue)) * Placement.allCases.count + Int(max(one.rawValue, other.rawValue))
    }
}

/// A place in a stored answer, as the index holds it: its kind and its number.
struct IndexedPlace: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// An object of the document, by its index.
        case object(Placement)
        /// The page that the document is; no number.
        case page
        /// A relationship inside the document, by its index: the first page of that list.
        case inlinePage
        /// The resource is absent from the batch that the document answers; no number.
        case absence
    }

    let kind: Kind
    let index: Int
    /// Number for the ids in an object's relationships; 0 for none.
    let relationSum: UInt32

    init(_ kind: Kind, _ index: Int = 0, relationSum: UInt32 = 0) {
        (self.kind, self.index, self.relationSum) = (kind, index, relationSum)
    }

    /// The bits of an index: a document has fewer than 2^14 objects, and as many relationships.
    private static let indexBits: UInt32 = 14
    /// The bits of `relationSum`.
    static let sumBits = ResourceIndex.Entry.detailBits

    /// Four bits of kind, then the index, then the sum.
    var packed: UInt32 {
        let code: UInt32 =
            switch kind {
            case .object(let placement): UInt32(placement.rawValue)
            case .page: 13
            case .inlinePage: 14
            case .absence: 15
            }
        return code << 28 | UInt32(index) << Self.sumBits | relationSum
    }

    init(packed: UInt32) {
        let code = UInt8(packed >> 28)
        kind =
            if let placement = Placement(rawValue: code) { .object(placement) } else {
                code == 13 ? .page : code == 14 ? .inlinePage : .absence
            }
        index = Int(packed >> Self.sumBits & (1 << Self.indexBits - 1))
        relationSum = packed & (1 << Self.sumBits - 1)
    }
}
