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

    /// Consequences of an answer for others that were composed.
    enum Effect {
        case nothing
        /// A resource has other attributes in a placement than in one that was relied on: what was
        /// composed may lack some.
        case outdone
        /// Placements that were relied on differ.
        case contradicted
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
    /// - Returns: its effect, and which of its combinations have to be learnt.
    mutating func note(
        _ observation: PlacementObservation, in storefront: Storefront, at now: Int64, until: Int64
    ) -> (effect: Effect, unknown: [PlacementObservation.Shown]) {
        // Before the new names end what was relied on.
        let isOutdone = observation.comparisons.contains { comparison in
            comparison.verdict == .otherNames
                && agreements[Key(type: comparison.type, storefront: storefront)]?.isUsed(
                    PlacementPair(comparison.one, comparison.other)) == true
        }
        var unknown: [PlacementObservation.Shown] = []
        var met: Set<PlacementObservation.Shown> = []
        for shown in observation.shown {
            let isKnown = change(shown.type, storefront, at: now) { $0.note(shown.combination, in: shown.placement) }
            // Each has its object parsed.
            if isKnown == false, met.insert(shown).inserted { unknown.append(shown) }
        }
        var isContradicted = false
        for comparison in observation.comparisons {
            let pair = PlacementPair(comparison.one, comparison.other)
            switch comparison.verdict {
            case .same, .otherValues, .otherNames:
                _ = change(comparison.type, storefront, at: now) {
                    $0.note(pair, comparison.number, isSame: comparison.verdict == .same)
                }
            case .different: if refute(comparison.type, pair, until: until) { isContradicted = true }
            }
        }
        return (isContradicted ? .contradicted : isOutdone ? .outdone : .nothing, unknown)
    }

    /// Learns the names of a combination.
    mutating func learn(
        _ shown: PlacementObservation.Shown, _ names: [UInt64], in storefront: Storefront, at now: Int64
    ) {
        _ = change(shown.type, storefront, at: now) { $0.learn(shown.combination, names, in: shown.placement) }
    }

    /// Notes resources that an answer shows in other placements.
    mutating func note(uses crossings: [PlacementCrossing], in storefront: Storefront, at now: Int64) {
        for crossing in crossings { _ = change(crossing.type, storefront, at: now) { $0.noteUses(crossing) } }
    }

    /// Ends an agreement in all storefronts; true where it was relied on in any.
    private mutating func refute(_ type: ResourceClass, _ pair: PlacementPair, until: Int64) -> Bool {
        let contradiction = Contradiction(type: type, pair: pair)
        let until = max(contradictions[contradiction] ?? 0, until)
        contradictions[contradiction] = until
        var wasRelied = false
        changeAll { key, agreement in
            if key.type == type, agreement.refute(pair, until: until) { wasRelied = true }
        }
        return wasRelied
    }

    /// Ends the agreements that a wrong answer relied on.
    mutating func refute(_ crossings: [PlacementCrossing], until: Int64) {
        for crossing in crossings {
            for pair in crossing.uses.keys { _ = refute(crossing.type, pair, until: until) }
        }
    }

    /// The clock was ahead: no contradiction lasts beyond `latest`.
    mutating func cap(at latest: Int64) {
        contradictions = contradictions.mapValues { min($0, latest) }
        changeAll { _, agreement in agreement.cap(at: latest) }
    }

    /// Changes each in its place: a loop over the dictionary would hold it, and copy it whole.
    private mutating func changeAll(_ change: (Key, inout PlacementAgreement) -> Void) {
        var index = agreements.startIndex
        while index != agreements.endIndex {
            let key = agreements.keys[index]
            change(key, &agreements.values[index])
            agreements.formIndex(after: &index)
        }
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
struct PlacementObservation {
    /// A combination of attributes that a placement shows.
    struct Shown: Hashable {
        let type: ResourceClass
        let placement: Placement
        /// See `ResourceDocument.Object.attributeNames`.
        let combination: UInt64
        /// The index of an object that has it: one example of them.
        let object: Int

        static func == (one: Shown, other: Shown) -> Bool {
            one.combination == other.combination && one.type == other.type && one.placement == other.placement
        }

        func hash(into hasher: inout Hasher) { hasher.combine(combination) }
    }

    /// The combinations, mostly without repetition.
    private(set) var shown: [Shown] = []
    var comparisons: [PlacementComparison] = []

    /// The combinations in an answer that are looked through for one that was met before.
    private static let lookedThrough = 64

    mutating func note(_ type: ResourceClass, _ placement: Placement, _ combination: UInt64, object: Int) {
        let new = Shown(type: type, placement: placement, combination: combination, object: object)
        if !shown.suffix(Self.lookedThrough).contains(new) { shown.append(new) }
    }
}

// MARK: - All loops

extension LearntForms {
    /// Learns how an answer shows its resources.
    /// - Parameter until: the unix second at which a contradiction ends.
    func note(
        _ observation: PlacementObservation, of document: MappedDocument, in storefront: Storefront, at now: Int64,
        until: Int64
    ) -> LearntPlaces.Effect {
        let (effect, unknown) = state.withLock {
            $0.places.note(observation, in: storefront, at: now, until: until)
        }
        for shown in unknown {
            // Without the lock: it takes as long as to parse the object.
            let names = document.attributeNames(of: document.map.objects[shown.object]) ?? [shown.combination]
            state.withLock { $0.places.learn(shown, names, in: storefront, at: now) }
        }
        return effect
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
