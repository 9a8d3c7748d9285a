import AppleMusic

// The agreements between placements, of all types and storefronts. Pure.
// Must hold: evidence counts in the storefront that it comes from; a contradiction counts for its
// type everywhere.

/// Which resources can be shown in other placements than they are held in.
struct LearntPlaces: Sendable {
    private struct Key: Hashable {
        let type: ResourceClass
        let storefront: Storefront
    }

    private struct Contradiction: Hashable {
        let type: ResourceClass
        let pair: PlacementPair
    }

    private var agreements: [Key: PlacementAgreement] = [:]
    /// Unix seconds at which they end.
    private var contradictions: [Contradiction: Int64] = [:]
    private let demand: PlacementDemand

    /// Some types in ten storefronts; beyond, nothing is shown in other placements.
    static let mostAgreements = 256

    init(_ demand: PlacementDemand) { self.demand = demand }

    mutating func agreement(_ type: ResourceClass, in storefront: Storefront, at now: Int64) -> PlacementAgreement {
        guard let index = agreements.index(forKey: Key(type: type, storefront: storefront)) else {
            return PlacementAgreement(demand)
        }
        agreements.values[index].endRests(at: now)
        return agreements.values[index]
    }

    /// Learns from an answer.
    /// - Parameter until: the unix second at which its contradictions end.
    /// - Returns: whether it contradicts what was relied on, and which of its combinations have to
    ///   be learnt.
    mutating func note(
        _ sight: PlacementSight, in storefront: Storefront, at now: Int64, until: Int64
    ) -> (isContradicted: Bool, unknown: [PlacementSight.Shown]) {
        var unknown: [PlacementSight.Shown] = []
        for shown in sight.shown {
            let isKnown = change(shown.type, storefront, at: now) { $0.note(shown.combination, in: shown.placement) }
            if isKnown == false { unknown.append(shown) }
        }
        var isContradicted = false
        for comparison in sight.comparisons {
            let pair = PlacementPair(comparison.one, comparison.other)
            switch comparison.verdict {
            case .same, .otherValues:
                _ = change(comparison.type, storefront, at: now) {
                    $0.note(pair, comparison.number, isSame: comparison.verdict == .same)
                }
            case .different: if refute(comparison.type, pair, until: until) { isContradicted = true }
            }
        }
        return (isContradicted, unknown)
    }

    /// Learns the names of a combination.
    mutating func learn(_ shown: PlacementSight.Shown, _ names: [UInt64], in storefront: Storefront, at now: Int64) {
        _ = change(shown.type, storefront, at: now) { $0.learn(shown.combination, names, in: shown.placement) }
    }

    /// Notes resources that an answer shows in other placements.
    mutating func note(uses crossings: [PlacementCrossing], in storefront: Storefront, at now: Int64) {
        for crossing in crossings { _ = change(crossing.type, storefront, at: now) { $0.noteUses(crossing) } }
    }

    /// Ends an agreement in all storefronts; true where it was relied on in any.
    private mutating func refute(_ type: ResourceClass, _ pair: PlacementPair, until: Int64) -> Bool {
        let contradiction = Contradiction(type: type, pair: pair)
        contradictions[contradiction] = max(contradictions[contradiction] ?? 0, until)
        var wasRelied = false
        for key in agreements.keys where key.type == type {
            if agreements[key]?.refute(pair, until: until) == true { wasRelied = true }
        }
        return wasRelied
    }

    /// Ends the agreements that a wrong answer relied on.
    mutating func refute(_ crossings: [PlacementCrossing], until: Int64) {
        for crossing in crossings {
            for pair in PlacementPair.all where crossing.has(pair.index) {
                _ = refute(crossing.type, pair, until: until)
            }
        }
    }

    /// The clock was ahead: no contradiction lasts beyond `latest`.
    mutating func cap(at latest: Int64) {
        contradictions = contradictions.mapValues { min($0, latest) }
        for key in agreements.keys { agreements[key]?.cap(at: latest) }
    }

    /// Nil where there is no room for another storefront's agreement.
    private mutating func change<Result>(
        _ type: ResourceClass, _ storefront: Storefront, at now: Int64,
        _ change: (inout PlacementAgreement) -> Result
    ) -> Result? {
        let key = Key(type: type, storefront: storefront)
        if let index = agreements.index(forKey: key) { return change(&agreements.values[index]) }
        guard agreements.count < Self.mostAgreements else { return nil }
        var new = PlacementAgreement(demand)
        for (contradiction, until) in contradictions where contradiction.type == type && until > now {
            _ = new.refute(contradiction.pair, until: until)
        }
        let result = change(&new)
        agreements[key] = new
        return result
    }
}

/// The placements of the resources in one answer, and how those look elsewhere.
struct PlacementSight {
    /// A combination of attributes that a placement shows.
    struct Shown: Equatable {
        let type: ResourceClass
        let placement: Placement
        /// As in `ResourceDocument.Object.attributeNames`.
        let combination: UInt64
        /// The index of an object that has it.
        let object: Int
    }

    /// Each once, as far as they are told apart.
    private(set) var shown: [Shown] = []
    var comparisons: [PlacementComparison] = []

    /// The combinations in an answer that are looked through for one that was met before.
    private static let lookedThrough = 8

    mutating func note(_ type: ResourceClass, _ placement: Placement, _ combination: UInt64, object: Int) {
        let isMet = shown.suffix(Self.lookedThrough).contains {
            $0.combination == combination && $0.type == type && $0.placement == placement
        }
        if !isMet {
            shown.append(Shown(type: type, placement: placement, combination: combination, object: object))
        }
    }
}

// MARK: - All loops

extension LearntForms {
    /// Learns how an answer shows its resources; false where that contradicts what was relied on.
    /// - Parameter until: the unix second at which a contradiction ends.
    func note(
        _ sight: PlacementSight, of document: MappedDocument, in storefront: Storefront, at now: Int64, until: Int64
    ) -> Bool {
        let (isContradicted, unknown) = state.withLock {
            $0.places.note(sight, in: storefront, at: now, until: until)
        }
        for shown in unknown {
            // Without the lock: it takes as long as to parse the object.
            let names = document.attributeNames(of: document.map.objects[shown.object]) ?? [shown.combination]
            state.withLock { $0.places.learn(shown, names, in: storefront, at: now) }
        }
        return !isContradicted
    }

    /// The agreement between a type's placements in a storefront.
    func agreement(_ type: ResourceClass, in storefront: Storefront, at now: Int64) -> PlacementAgreement {
        state.withLock { $0.places.agreement(type, in: storefront, at: now) }
    }

    /// Whether lists by ids can answer requests for one resource, or are to be tried because too
    /// few resources were compared in both.
    package func mayAnswerSingles(of type: ResourceClass, _ storefront: Storefront, at now: Int64) -> Bool {
        let agreement = agreement(type, in: storefront, at: now)
        return agreement.holds(.batched, in: .item) || agreement.isLearning(.batched, .item)
    }

    /// Notes resources that a composed answer shows in other placements than they are held in.
    package func note(uses crossings: [PlacementCrossing], in storefront: Storefront, at now: Int64) {
        guard !crossings.isEmpty else { return }
        state.withLock { $0.places.note(uses: crossings, in: storefront, at: now) }
    }

    /// Ends the agreements between placements that a wrong answer relied on.
    package func refute(_ crossings: [PlacementCrossing], until: Int64) {
        guard !crossings.isEmpty else { return }
        state.withLock { $0.places.refute(crossings, until: until) }
    }
}
