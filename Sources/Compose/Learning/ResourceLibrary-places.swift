import AppleMusic
import Cache
import Synchronization

// Compares resources with themselves in other answers: what looks the same wherever it was seen.

extension ResourceLibrary {
    /// Whether resources look as they do in other placements, among answers in memory; learns from
    /// it. Parameters like `extend` touch some placements and not others.
    /// - Parameter asked: the number of the latest answer when this one was asked for.
    func comparePlacements(
        _ part: StoredSource, _ request: CatalogRequest, _ shown: [Shown], asked: Int64, at now: Int64
    ) -> Bool {
        guard request.hasPlainResources else { return true }
        var sources = sources(nil, at: now)
        var observation = PlacementObservation()
        for (index, placement) in shown {
            let object = part.document.map.objects[index]
            guard !object.attributes.isEmpty, let type = object.type else { continue }
            observation.note(type, placement, object.attributeNames, object: index)
            guard observation.comparisons.count < Self.comparisons else { continue }
            let own = Candidate(part: part, object: object, placement: placement)
            compare(own, type, request, asked: asked, &sources, &observation)
        }
        let until = now + Int64(part.response.freshFor)
        let effect = forms.note(observation, of: part.document, in: request.storefront, at: now, until: until)
        if effect == .outdone { cache.freeComposed() }
        return effect != .contradicted
    }

    /// Compares one resource with each fresh answer that has it in another placement. An outdated
    /// one was compared when it came, and would count one revision again and again.
    private func compare(
        _ own: Candidate, _ type: ResourceClass, _ request: CatalogRequest, asked: Int64,
        _ sources: inout StoredSources, _ observation: inout PlacementObservation
    ) {
        let found = index.sources(of: request.indexNumber(ofResource: own.object.number))
        guard !found.isEmpty else { return }
        let name = NamedResource(number: own.object.number, id: own.part.document.body[own.object.id.range])
        for (position, source) in found.enumerated() {
            guard !source.isOutdated, case .object(let other) = IndexedPlace(packed: source.place).kind,
                other != own.placement, let (candidate, isFresh) = sources.candidate(name, source), isFresh,
                !candidate.object.attributes.isEmpty
            else { continue }
            // Only an answer that was asked for after the other one came shows a state after it.
            let isLater =
                own.part.response.receivedAt > source.receivedAt && candidate.part.response.arrival <= asked
            let before = found[(position + 1)...]
            let verdict = own.verdict(beside: candidate) { isLater && before.contains { $0.shows(own) } }
            observation.comparisons.append(
                PlacementComparison(
                    type: type, one: own.placement, other: other, number: own.object.number, verdict: verdict))
        }
    }

    /// Compares the placements in answers of the file, none of which is in memory. It ignores their
    /// order, so that a revision explains whatever differs.
    func comparePlacements(_ part: StoredSource, _ seen: SeenPlacements, at now: Int64) {
        guard let request = part.request, request.hasPlainResources else { return }
        var observation = PlacementObservation()
        for (index, placement) in Self.shown(part, request) {
            let object = part.document.map.objects[index]
            guard !object.attributes.isEmpty, let type = object.type,
                let other = seen.other(than: placement, of: request.indexNumber(ofResource: object.number), object)
            else { continue }
            let hasSameNames = other.attributeNames == object.attributeNames
            // Values whose bytes differ may be the same in another order.
            guard !hasSameNames || other.attributeSum == object.attributeSum else { continue }
            let verdict = hasSameNames ? PlacementComparison.Verdict.same : .otherNames
            observation.comparisons.append(
                PlacementComparison(
                    type: type, one: placement, other: other.placement, number: object.number, verdict: verdict))
        }
        let until = now + Int64(part.response.freshFor)
        _ = forms.note(observation, of: part.document, in: request.storefront, at: now, until: until)
    }
}

extension Candidate {
    /// How the resource looks beside another answer that shows it in another placement.
    /// - Parameter wasSameBefore: whether this placement showed the same before and after the other
    ///   answer: then no change of the catalog explains a difference, be it of names or of values.
    fileprivate func verdict(beside other: Candidate, _ wasSameBefore: () -> Bool) -> PlacementComparison.Verdict {
        if hasSameAttributes(as: other) { return .same }
        if wasSameBefore() { return .different }
        return object.attributeNames == other.object.attributeNames ? .otherValues : .otherNames
    }
}

extension ResourceIndex.Source {
    /// Whether it showed the same attributes in the same placement, byte for byte.
    fileprivate func shows(_ candidate: Candidate) -> Bool {
        guard case .object(let placement) = IndexedPlace(packed: place).kind else { return false }
        return placement == candidate.placement && content == candidate.object.attributeSum
    }
}

/// The placement and attributes in which a resource was first met in the file.
final class SeenPlacements: Sendable {
    typealias Seen = (placement: Placement, attributeNames: UInt64, attributeSum: UInt32)

    private let resources = Mutex<[UInt64: Seen]>([:])
    /// The latest come first, and this many suffice.
    private static let maxResources = 1 << 16

    private let answers = Atomic<Int>(0)

    /// Counts an answer; false from `most` on.
    func canTakeMore(than most: Int) -> Bool { answers.add(1, ordering: .relaxed).newValue < most }

    /// The resource as first met in another placement; nil where it was not.
    func other(than placement: Placement, of number: UInt64, _ object: ResourceDocument.Object) -> Seen? {
        resources.withLock { resources in
            if let seen = resources[number] { return seen.placement == placement ? nil : seen }
            if resources.count < Self.maxResources {
                resources[number] = (placement, object.attributeNames, object.attributeSum)
            }
            return nil
        }
    }
}
