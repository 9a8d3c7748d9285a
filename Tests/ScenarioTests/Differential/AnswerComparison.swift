@testable import Simulator

/// One answer, compared with the API's at all revisions that it may be of.
struct AnswerComparison {
    private let request: OracleRequest
    private let places: PlacedResources
    private let asked: [String]?

    init(_ api: SimulatedAPI, _ request: OracleRequest, _ revisions: [Revision]) {
        self.request = request
        places = PlacedResources(api, request, revisions)
        asked = SimulatorTarget(request.simulated.target).asked
    }

    /// Nil for a right answer. `candidates`: those of its status, the latest first; one at least.
    func compare(_ answer: JSONNode, _ candidates: [JSONNode]) -> Difference? {
        if candidates.contains(where: { $0.digest == answer.digest }) { return nil }
        if answer["errors"] != nil {
            let bare = withoutErrorIDs(answer)
            let isSaid = candidates.contains { withoutErrorIDs($0).digest == bare.digest }
            return isSaid ? nil : first(bare, withoutErrorIDs(candidates[0]), "")
        }
        // Charts, search and personal answers never come in parts.
        guard answer["data"] != nil, let place = places.top else {
            let (bare, said) = (withoutOrder(answer), candidates.map(withoutOrder))
            return said.contains { $0.digest == bare.digest } ? nil : first(bare, said[0], "")
        }
        if let asked { return batch(answer, candidates, asked, place) }
        return list(answer, candidates, place, "")
    }

    /// The id of an error is new with every answer (APPLE-MUSIC-API 8.2).
    private func withoutErrorIDs(_ document: JSONNode) -> JSONNode {
        JSONNode(.array((document["errors"]?.elements ?? []).map { $0.without("id") }))
    }

    /// `types` is a set to the proxy (DECISIONS 3.3), so that another order of it may have been
    /// asked before: the order in which `meta.results` names the types is left out.
    private func withoutOrder(_ document: JSONNode) -> JSONNode {
        document["results"] == nil ? document : document.without("meta")
    }

    /// Each resource that is asked for by its id may be of another age: there, or left out.
    private func batch(
        _ answer: JSONNode, _ candidates: [JSONNode], _ asked: [String], _ place: RenderPosition
    ) -> Difference? {
        if let difference = frame(answer, candidates, "") { return difference }
        let said = candidates.map(\.elementNames)
        let given = answer.elementNames
        var rest = asked[...]
        for (index, identity) in given.enumerated() {
            guard let found = rest.firstIndex(of: identity) else {
                // A storefront's clean twins have other ids than were asked for: then the list is
                // one revision's as a whole.
                if said.contains(given) { break }
                return Difference(path: "data[\(index)]", reason: "\(identity) is not asked for, or not here")
            }
            rest = rest[(found + 1)...]
        }
        for identity in Set(asked).subtracting(given) where said.allSatisfy({ $0.contains(identity) }) {
            return Difference(path: "data", reason: "\(identity) is missing")
        }
        for (index, element) in (answer["data"]?.elements ?? []).enumerated() {
            let versions = places.versions(of: element, place)
            if let difference = object(element, versions, place, "data[\(index)]") { return difference }
        }
        return nil
    }

    /// All but the elements of a list must be that of one revision.
    private func frame(_ answer: JSONNode, _ candidates: [JSONNode], _ path: String) -> Difference? {
        let frame = answer.without("data")
        if candidates.contains(where: { $0.without("data").digest == frame.digest }) { return nil }
        return first(frame, candidates[0].without("data"), path)
    }

    /// `{data, next?, href?, meta?}` of a document or relationship: one revision's as a whole.
    private func list(
        _ answer: JSONNode, _ candidates: [JSONNode], _ place: RenderPosition, _ path: String
    ) -> Difference? {
        if candidates.contains(where: { $0.digest == answer.digest }) { return nil }
        let skeleton = answer.skeleton
        guard candidates.contains(where: { $0.skeleton.digest == skeleton.digest })
        else { return first(skeleton, candidates[0].skeleton, path) }
        let said = candidates.flatMap { $0["data"]?.elements ?? [] }
        let areWhole = said.contains { $0["attributes"] != nil }
        for (index, element) in (answer["data"]?.elements ?? []).enumerated() {
            if said.contains(where: { $0.digest == element.digest }) { continue }
            let versions =
                areWhole ? places.versions(of: element, place) : said.filter { $0.identity == element.identity }
            if let difference = object(element, versions, place, join(path, "data[\(index)]")) { return difference }
        }
        return nil
    }

    /// Each part has to be of an acceptable revision, and all that is the object's own of one.
    private func object(
        _ answer: JSONNode, _ candidates: [JSONNode], _ place: RenderPosition, _ path: String
    ) -> Difference? {
        if candidates.contains(where: { $0.digest == answer.digest }) { return nil }
        guard let latest = candidates.first else {
            return Difference(path: path, reason: "\(answer.identity ?? "?") is nowhere to be had")
        }
        guard candidates.contains(where: { $0.names == answer.names }) else {
            return Difference(path: path, reason: "has \(answer.names.sorted()) instead of \(latest.names.sorted())")
        }
        for (name, value) in answer.members {
            let said = candidates.compactMap { $0[name] }
            if said.contains(where: { $0.digest == value.digest }) { continue }
            let path = join(path, name)
            let inner: RenderPosition
            switch name {
            case "relationships": inner = .included(depth: place.depth + 1)
            case "views": inner = .item(isMixed: true)
            default: return first(value, said[0], path)
            }
            if let difference = lists(value, said, inner, path) { return difference }
        }
        let own = answer.ownPart
        if candidates.contains(where: { $0.ownPart.digest == own.digest }) { return nil }
        return Difference(.mixed, path: path, reason: "\(answer.identity ?? "?") has parts of several revisions")
    }

    /// The relationships or the views of an object.
    private func lists(
        _ answer: JSONNode, _ candidates: [JSONNode], _ place: RenderPosition, _ path: String
    ) -> Difference? {
        guard candidates.contains(where: { $0.names == answer.names }) else {
            return Difference(
                path: path, reason: "has \(answer.names.sorted()) instead of \(candidates[0].names.sorted())")
        }
        for (name, value) in answer.members {
            let said = candidates.compactMap { $0[name] }
            if let difference = list(value, said, place, join(path, name)) { return difference }
        }
        return nil
    }

    private func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : path + "." + name }

    /// Where two values that are not equal differ first.
    private func first(_ answer: JSONNode, _ said: JSONNode, _ path: String) -> Difference? {
        switch (answer.content, said.content) {
        case (.object, .object) where answer.names == said.names:
            for (name, value) in answer.members {
                guard let other = said[name], other.digest != value.digest else { continue }
                return first(value, other, join(path, name))
            }
        case (.array(let given), .array(let other)):
            if given.count != other.count {
                return Difference(path: path, reason: "\(given.count) elements instead of \(other.count)")
            }
            for index in given.indices where given[index].digest != other[index].digest {
                return first(given[index], other[index], "\(path)[\(index)]")
            }
        default: break
        }
        return Difference(path: path, reason: "\(brief(answer)) instead of \(brief(said))")
    }

    private func brief(_ node: JSONNode) -> String {
        switch node.content {
        case .object: "an object with \(node.names.sorted())"
        case .array(let elements): "\(elements.count) elements"
        case .string(let text): "\"\(text.prefix(120))\""
        case .literal(let text): text
        }
    }
}
