import AppleMusic

// Evidence that resources of one type look the same in two placements. Pure.
// Must hold: a resource is shown in another placement only where resources were compared in both,
// as many as `PlacementDemand` asks for, and no name is known of the wanted placement that the held
// one never showed; one contradiction ends that until the answers that taught it have run out.

/// How much evidence it takes before resources held in one placement are shown in another.
struct PlacementDemand: Sendable, Equatable {
    /// Resources that looked the same in both.
    let resources: Int
    /// Uses for each further resource that is needed: resources that were shown in a placement
    /// other than their own. An attribute that few resources have is missing from about this many
    /// of them, on average, before one that has it is compared.
    let usesOfOne: Int

    init(resources: Int = 16, usesOfOne: Int = 32) { (self.resources, self.usesOfOne) = (resources, usesOfOne) }
}

/// A resource that was seen in two placements.
struct PlacementComparison {
    enum Verdict {
        /// Attributes and values agree.
        case same
        /// Attributes agree, values differ: the catalog has changed, or placements differ.
        case otherValues
        /// Other attributes, for the same causes.
        case otherNames
        /// The one placement showed the same before and after the other one showed something else.
        case different
    }

    let type: ResourceClass
    let one: Placement
    let other: Placement
    /// See `ResourceDocument.Object`.
    let number: UInt64
    let verdict: Verdict
}

/// Evidence of one type in one storefront; the agreement of other storefronts is their own.
struct PlacementAgreement: Sendable {
    struct Pair: Sendable {
        /// Resources that looked the same, less those that did not; below zero after many of them.
        var agreements: Int32 = 0
        /// Resources that were shown in the placement that they were not held in.
        var uses: UInt32 = 0
        /// The resources that were compared last, so that one does not count again and again.
        var compared: [UInt32] = []
        var oldest = 0
        /// Unix seconds: contradicted until then. 0: not contradicted.
        var restsUntil: Int64 = 0
    }

    private let demand: PlacementDemand
    private(set) var pairs = [Pair](repeating: Pair(), count: PlacementPair.count)
    private(set) var names = AttributeNames()
    private var firstEndOfRest = Int64.max

    init(_ demand: PlacementDemand) { self.demand = demand }

    /// Whether resources held in the one placement can be shown in the other.
    func holds(_ held: Placement, in wanted: Placement) -> Bool {
        if held == wanted { return true }
        let pair = PlacementPair(held, wanted)
        guard !isRefuted(pair), names.covers(held, wanted) else { return false }
        let uses = pairs[pair.index].uses
        if isKnown(pair, uses) { return true }
        // A third placement that both agree with.
        return Placement.allCases.contains { third in
            third != held && third != wanted && isKnown(PlacementPair(held, third), uses)
                && isKnown(PlacementPair(third, wanted), uses)
        }
    }

    /// Whether a resource with this combination of attributes can be shown in the other.
    func holds(_ held: Placement, in wanted: Placement, _ combination: UInt64) -> Bool {
        held == wanted || holds(held, in: wanted) && names.shows(combination, in: wanted)
    }

    /// Whether resources held in one of them were shown in the other, and would be again.
    func isUsed(_ pair: PlacementPair) -> Bool {
        pairs[pair.index].uses > 0 && (holds(pair.one, in: pair.other) || holds(pair.other, in: pair.one))
    }

    /// Whether the two were seen to differ.
    func isRefuted(_ one: Placement, _ other: Placement) -> Bool { isRefuted(PlacementPair(one, other)) }

    /// Whether any resource was compared in both, whatever came of it.
    func wasCompared(_ one: Placement, _ other: Placement) -> Bool {
        !pairs[PlacementPair(one, other).index].compared.isEmpty
    }

    /// Whether more resources looked the same in both than otherwise.
    func isCompared(_ one: Placement, _ other: Placement) -> Bool {
        pairs[PlacementPair(one, other).index].agreements > 0
    }

    /// Whether more resources have to be compared, whatever their attributes are called. Not where
    /// more of them looked otherwise: to ask for more would hardly help.
    func isLearning(_ one: Placement, _ other: Placement) -> Bool {
        let pair = PlacementPair(one, other)
        return !isRefuted(pair) && pairs[pair.index].agreements >= 0 && !isKnown(pair, pairs[pair.index].uses)
    }

    private func isRefuted(_ pair: PlacementPair) -> Bool { pairs[pair.index].restsUntil > 0 }

    private func isKnown(_ pair: PlacementPair, _ uses: UInt32) -> Bool {
        let known = pairs[pair.index]
        let needed = demand.resources + Int(uses) / demand.usesOfOne
        return known.restsUntil == 0 && Int(known.agreements) >= needed
    }
}

// MARK: - Learning

extension PlacementAgreement {
    /// Notes a resource that looked the same in both, or otherwise.
    mutating func note(_ pair: PlacementPair, _ number: UInt64, isSame: Bool) {
        guard pairs[pair.index].compare(number, isSame: isSame) else { return }
        guard isSame else {
            // Where few resources are revised between two answers, agreements prevail.
            let fewer = pairs[pair.index].agreements - Int32(clamping: demand.resources)
            pairs[pair.index].agreements = max(fewer, -Self.mostAgainst)
            return
        }
        pairs[pair.index].agreements = min(pairs[pair.index].agreements + 1, .max - 1)
    }

    /// Ends the agreement of two placements until a unix second; true where it was relied on.
    mutating func refute(_ pair: PlacementPair, until: Int64) -> Bool {
        let wasRelied = holds(pair.one, in: pair.other) || holds(pair.other, in: pair.one)
        for third in Placement.allCases where third != pair.one && third != pair.other {
            let (first, second) = (PlacementPair(pair.one, third), PlacementPair(third, pair.other))
            // One of the two is wrong.
            if isKnown(first, 0), isKnown(second, 0) { (pairs[first.index], pairs[second.index]) = (Pair(), Pair()) }
        }
        pairs[pair.index] = Pair()
        pairs[pair.index].restsUntil = max(until, 1)
        firstEndOfRest = min(firstEndOfRest, until)
        return wasRelied
    }

    /// Notes resources that were shown in the placement that they were not held in.
    mutating func noteUses(_ crossing: PlacementCrossing) {
        for (pair, count) in crossing.uses {
            pairs[pair.index].uses = UInt32(clamping: Int(pairs[pair.index].uses) + count)
        }
    }

    /// Notes a combination of attributes; false where its names have to be learnt.
    mutating func note(_ combination: UInt64, in placement: Placement) -> Bool {
        names.note(combination, in: placement)
    }

    mutating func learn(_ combination: UInt64, _ names: [UInt64], in placement: Placement) {
        self.names.learn(combination, names)
        _ = self.names.note(combination, in: placement)
    }

    /// Ends the rests that are over: their pairs are learnt anew.
    mutating func endRests(at now: Int64) {
        guard now >= firstEndOfRest else { return }
        firstEndOfRest = .max
        for index in pairs.indices where pairs[index].restsUntil > 0 {
            if pairs[index].restsUntil <= now {
                pairs[index] = Pair()
            } else {
                firstEndOfRest = min(firstEndOfRest, pairs[index].restsUntil)
            }
        }
    }

    /// The clock was ahead: no rest lasts beyond `latest`.
    mutating func cap(at latest: Int64) {
        for index in pairs.indices { pairs[index].restsUntil = min(pairs[index].restsUntil, latest) }
        firstEndOfRest = min(firstEndOfRest, latest)
    }

    private static let mostAgainst: Int32 = 1 << 20
}

extension PlacementAgreement.Pair {
    /// Whether this resource is none of those that were compared last with this result: a revised
    /// one counts once more.
    fileprivate mutating func compare(_ number: UInt64, isSame: Bool) -> Bool {
        let number = UInt32(truncatingIfNeeded: number << 1 | (isSame ? 1 : 0))
        guard !compared.contains(number) else { return false }
        if compared.count < Self.mostCompared {
            compared.append(number)
        } else {
            compared[oldest] = number
            oldest = (oldest + 1) % Self.mostCompared
        }
        return true
    }

    /// Resources that are remembered as compared; an older one counts again. They are fewer than
    /// `PlacementDemand` asks for, so that as many as suffice, compared in turn, count again:
    /// otherwise their agreement would end for good with its uses, or with a revision, where
    /// clients ask for no others.
    private static let mostCompared = 15
}

/// Two placements, in either order.
struct PlacementPair: Hashable, Sendable {
    let one: Placement
    let other: Placement

    init(_ first: Placement, _ second: Placement) {
        (one, other) = first.rawValue < second.rawValue ? (first, second) : (second, first)
    }

    static let count = Placement.allCases.count * Placement.allCases.count
    var index: Int { Int(one.rawValue) * Placement.allCases.count + Int(other.rawValue) }
}

/// Resources of one type that a composed answer shows in placements that they are not held in.
package struct PlacementCrossing: Sendable, Equatable {
    let type: ResourceClass
    /// How many, by the placements.
    private(set) var uses: [PlacementPair: Int] = [:]

    init(_ type: ResourceClass) { self.type = type }

    mutating func note(_ pair: PlacementPair) { uses[pair, default: 0] += 1 }

    var isEmpty: Bool { uses.isEmpty }
}
