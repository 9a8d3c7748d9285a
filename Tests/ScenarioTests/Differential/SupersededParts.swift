@testable import Simulator

/// Finds a part of a composed answer that the proxy knew to be out of date when it composed it.
///
/// A resource never goes back: once the origin has shown a newer state of it, in any form and under
/// the same parameters, an older one is no part of later composed answers, as long as the newer one
/// is fresh. The origin's own answers may be old under their own URLs.
struct SupersededParts {
    private let seen: SeenStates
    private let oracle: Oracle
    private let request: OracleRequest
    private let revisions: [Revision]
    private let position: Int
    private let now: Int64
    private let target: SimulatorTarget
    private let circumstances: String

    /// Nil for an answer that is never composed.
    /// - Parameters:
    ///   - revisions: those the answer may be of.
    ///   - position: the answers of the origin before it were known when it was composed.
    init?(
        _ seen: SeenStates, _ oracle: Oracle, _ request: OracleRequest, _ revisions: [Revision], before position: Int,
        at now: Int64
    ) {
        target = SimulatorTarget(request.simulated.target)
        guard let circumstances = target.circumstances else { return nil }
        self.circumstances = circumstances
        (self.seen, self.oracle, self.request) = (seen, oracle, request)
        (self.revisions, self.position, self.now) = (revisions, position, now)
    }

    func first(in answer: JSONNode) -> Difference? {
        guard let place = PlacedResources(oracle.api, request, []).top else { return nil }
        return absence(answer) ?? page(answer) ?? objects(answer, place, "", isPrimary: target.listPath == nil)
    }

    private func revisions(since catalog: Int) -> PlacedResources {
        PlacedResources(oracle.api, request, revisions.filter { $0.catalog >= catalog })
    }

    private func difference(_ path: String, _ state: SeenStates.State, _ reason: String) -> Difference {
        Difference(.superseded, path: path, reason: "\(reason) at revision \(state.revision)")
    }

    /// A resource that a batch leaves out although it was seen since, in whatever form.
    private func absence(_ answer: JSONNode) -> Difference? {
        guard target.first("restrict") == nil else { return nil }
        for identity in Set(target.asked ?? []).subtracting(answer.elementNames) {
            let storefront = SeenStates.storefront(circumstances)
            guard let latest = seen.observation(of: identity, in: storefront, before: position, at: now),
                !revisions(since: latest.revision).lacked(identity)
            else { continue }
            return difference("data", latest, "\(identity) is left out, and was seen")
        }
        return nil
    }

    /// A page of a list of which another page was seen since.
    private func page(_ answer: JSONNode) -> Difference? {
        guard let path = target.listPath else { return nil }
        let offset = target.first("offset").flatMap(Int.init) ?? 0
        let known = seen.pages(of: path, include: target.includeInOrder, in: circumstances, before: position, at: now)
        let skeleton = answer.skeleton.digest
        for state in known {
            guard let other = state.shown, ListPlaces(answer, offset).contradict(ListPlaces(other, state.offset)) else {
                continue
            }
            let isOfThen = revisions.contains { revision in
                revision.catalog >= state.revision && saying(revision)?.skeleton.digest == skeleton
            }
            if !isOfThen { return difference("data", state, "another page of the list was seen") }
        }
        return nil
    }

    private func saying(_ revision: Revision) -> JSONNode? {
        try? JSONNode.parse([UInt8](oracle.saying(request, at: revision).body))
    }

    private func objects(_ list: JSONNode, _ place: RenderPosition, _ path: String, isPrimary: Bool) -> Difference? {
        for (index, element) in (list["data"]?.elements ?? []).enumerated() where element.showsResource {
            let path = "\(path)data[\(index)]"
            if let found = object(element, place, path, isPrimary: isPrimary) { return found }
            for list in element.lists {
                let inner =
                    list.path.hasPrefix("view/")
                    ? .item(isMixed: true) : RenderPosition.included(depth: place.depth + 1)
                if let found = objects(list.value, inner, "\(path).\(list.path).", isPrimary: false) { return found }
            }
        }
        return nil
    }

    private func object(_ answer: JSONNode, _ place: RenderPosition, _ path: String, isPrimary: Bool) -> Difference? {
        let identity = answer.identity ?? "?"
        let own = answer.ownPart.digest
        for state in seen.states(of: identity, in: circumstances, before: position, at: now) {
            guard state.shown.map(answer.shows(otherwise:)) ?? isPrimary else { continue }
            let since = revisions(since: state.revision).versions(of: answer, place)
            if since.contains(where: { $0.ownPart.digest == own }) { continue }
            return difference(
                path, state, "\(identity) is older than what was \(state.shown == nil ? "not found" : "seen")")
        }
        return nil
    }
}

extension JSONNode {
    /// Whether two objects of one resource cannot be of one revision.
    fileprivate func shows(otherwise other: JSONNode) -> Bool {
        if let own = self["attributes"], let others = other["attributes"], own.contradicts(others) { return true }
        return lists.contains { list in
            other.lists.contains {
                $0.path == list.path && ListPlaces($0.value, 0).contradict(ListPlaces(list.value, 0))
            }
        }
    }
}

/// The names on a page of a list, and where each is in the list.
private struct ListPlaces {
    private let offset: Int
    private let names: [String]
    private let next: Int?
    private let hasData: Bool

    init(_ page: JSONNode, _ offset: Int) {
        (self.offset, names, next) = (offset, page.elementNames, page.nextOffset)
        hasData = page["data"] != nil
    }

    /// Whether each name has a place of its own, next to the one before.
    private var isWithoutGaps: Bool { next.map { $0 - offset == names.count } ?? false }

    /// Whether both cannot be of one list.
    func contradict(_ other: ListPlaces) -> Bool {
        guard hasData, other.hasData else { return false }
        if offset == other.offset {
            if next == nil, other.next == nil, names.count != other.names.count { return true }
            return zip(names, other.names).contains { $0 != $1 }
        }
        guard isWithoutGaps, other.isWithoutGaps else { return false }
        let places =
            max(
                offset, other.offset)..<max(
                offset, other.offset, min(offset + names.count, other.offset + other.names.count))
        return places.contains { names[$0 - offset] != other.names[$0 - other.offset] }
    }
}
