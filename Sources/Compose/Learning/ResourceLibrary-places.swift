import AppleMusic
import Cache
import Synchronization

// Compares resources with themselves in other answers: what looks the same wherever it was seen.

extension ResourceLibrary {
    /// Whether resources look as they do in other placements, among answers in memory; learns from
    /// it. Parameters like `extend` touch some placements and not others.
    func comparePlacements(_ part: StoredSource, _ request: CatalogRequest, _ shown: [Shown], at now: Int64) -> Bool {
        guard request.hasPlainResources else { return true }
        var sources = sources(nil, at: now)
        var sight = PlacementSight()
        for (index, placement) in shown {
            let object = part.document.map.objects[index]
            guard !object.attributes.isEmpty, let type = object.type else { continue }
            sight.note(type, placement, object.attributeNames, object: index)
            guard sight.comparisons.count < Self.comparisons else { continue }
            let own = Candidate(part: part, object: object, placement: placement)
            compare(own, type, request, &sources, &sight)
        }
        let until = now + Int64(part.response.freshFor)
        return forms.note(sight, of: part.document, in: request.storefront, at: now, until: until)
    }

    /// Compares one resource with each fresh answer that has it in another placement.
    private func compare(
        _ own: Candidate, _ type: ResourceClass, _ request: CatalogRequest, _ sources: inout StoredSources,
        _ sight: inout PlacementSight
    ) {
        let found = index.sources(of: request.indexNumber(ofResource: own.object.number))
        guard !found.isEmpty else { return }
        let name = NamedResource(number: own.object.number, id: own.part.document.body[own.object.id.range])
        for (position, source) in found.enumerated() {
            guard case .object(let other) = IndexedPlace(packed: source.place).kind, other != own.placement,
                let (candidate, isFresh) = sources.candidate(name, source), isFresh,
                !candidate.object.attributes.isEmpty
            else { continue }
            let before = found[(position + 1)...]
            let verdict = own.verdict(beside: candidate) { before.contains { $0.shows(own) } }
            sight.comparisons.append(
                PlacementComparison(
                    type: type, one: own.placement, other: other, number: own.object.number, verdict: verdict))
        }
    }

    /// The same among the answers of the file, none of which is in memory.
    func comparePlacements(_ part: StoredSource, _ seen: SeenPlacements, at now: Int64) {
        guard let request = part.request, request.hasPlainResources else { return }
        var sight = PlacementSight()
        for (index, placement) in Self.shown(part, request) {
            let object = part.document.map.objects[index]
            guard !object.attributes.isEmpty, let type = object.type,
                let other = seen.other(than: placement, of: request.indexNumber(ofResource: object.number), object)
            else { continue }
            let hasSameNames = other.attributeNames == object.attributeNames
            // Values whose bytes differ may be the same in another order.
            guard !hasSameNames || other.attributeSum == object.attributeSum else { continue }
            let verdict = hasSameNames ? PlacementComparison.Verdict.same : .different
            sight.comparisons.append(
                PlacementComparison(
                    type: type, one: placement, other: other.placement, number: object.number, verdict: verdict))
        }
        let until = now + Int64(part.response.freshFor)
        _ = forms.note(sight, of: part.document, in: request.storefront, at: now, until: until)
    }
}

extension Candidate {
    /// How the resource looks beside another answer that shows it in another placement.
    /// - Parameter wasSameBefore: whether this placement showed the same before the other answer
    ///   came: then no change of the catalog explains a difference.
    fileprivate func verdict(beside other: Candidate, _ wasSameBefore: () -> Bool) -> PlacementComparison.Verdict {
        guard object.attributeNames == other.object.attributeNames else { return .different }
        if hasSameAttributes(as: other) { return .same }
        return wasSameBefore() ? .different : .otherValues
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
