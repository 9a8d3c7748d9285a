@testable import Simulator

/// Resources as they look at the places of one answer, at each of several revisions.
///
/// They include those that their list has lost since, or whose parent is gone, because a part may
/// be older than the answer around it, and newer.
struct PlacedResources {
    /// The place of the resources in `data`; nil for an answer that is no document of the catalog.
    let top: RenderPosition?
    private let contexts: [RenderContext]

    init(_ api: SimulatedAPI, _ request: OracleRequest, _ revisions: [Revision]) {
        let elements = SimulatorTarget(request.simulated.target).elements
        guard elements.count > 2, elements[1] == "catalog", let market = Market(code: elements[2]) else {
            (top, contexts) = (nil, [])
            return
        }
        switch elements.count {
        case 3, 4, 5: top = .primary
        default: top = .item(isMixed: false)
        }
        contexts = revisions.compactMap { revision in
            let exchange = try? SimulatedExchange(api.world, api.snapshot(at: revision), request.simulated, index: 0)
            var context = try? exchange?.context(market)
            context?.isSingleFetch = elements.count == 5
            return context
        }
    }

    /// The object at this place, at every revision that has it.
    func versions(of object: JSONNode, _ place: RenderPosition) -> [JSONNode] {
        guard let type = object["type"]?.text.flatMap(SimulatedType.init(name:)), let id = object["id"]?.text else {
            return []
        }
        return contexts.compactMap { context in
            guard let resource = resource(type, id, context) else { return nil }
            var renderer = Renderer(context)
            renderer.object(resource, place)
            return try? JSONNode.parse(renderer.json.bytes)
        }
    }

    /// Whether the storefront lacked the resource at one of the revisions.
    func lacked(_ identity: String) -> Bool {
        let words = identity.split(separator: "/").map(String.init)
        guard words.count == 2, let type = SimulatedType(name: words[0]) else { return true }
        return contexts.contains { resource(type, words[1], $0) == nil }
    }

    private func resource(_ type: SimulatedType, _ id: String, _ context: RenderContext) -> Resource? {
        context.catalog.resource(type, id: id).flatMap(context.shown)
    }
}
