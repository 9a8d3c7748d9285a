// `/v1/catalog/{storefront}/...`: single resources, batches, relationships, views
// (APPLE-MUSIC-API 3.1).

extension SimulatedExchange {
    func catalogReply(_ elements: [String]) throws(APIError) -> Reply {
        try requireRead()
        guard let code = elements.first else { throw .notFound }
        guard let market = Market(code: code) else { throw .unknownStorefront(code) }
        guard elements.count > 1 else { return try multiType(market) }
        switch (elements[1], elements.count) {
        case ("search", 2): return try search(market)
        case ("search", 3) where elements[2] == "hints": return try hints(market)
        case ("search", 3) where elements[2] == "suggestions": return try suggestions(market)
        case ("charts", 2): return try charts(market)
        default: break
        }
        guard let type = SimulatedType(catalogPathElement: elements[1]) else { throw .notFound }
        switch elements.count {
        case 2: return try several(type, market)
        case 3: return try single(type, elements[2], market)
        case 4: return try relationship(type, elements[2], elements[3], market)
        case 5 where elements[3] == "view": return try view(type, elements[2], elements[4], market)
        default: throw .notFound
        }
    }

    private func find(_ type: SimulatedType, _ id: String, _ context: RenderContext) -> Resource? {
        let isAlias = configuration.has(.aliases) && id.hasPrefix(Self.aliasPrefix)
        let own = isAlias ? String(id.dropFirst(Self.aliasPrefix.count)) : id
        return catalog.resource(type, id: own).flatMap(context.shown)
    }

    /// Before an id that is another name of a resource.
    static let aliasPrefix = "77"

    private func single(_ type: SimulatedType, _ id: String, _ market: Market) throws(APIError) -> Reply {
        let context = try context(market)
        guard let resource = find(type, id, context) else { throw .notFound }
        return single(resource, context)
    }

    private func several(_ type: SimulatedType, _ market: Market) throws(APIError) -> Reply {
        let filters = target.parameters.filter { $0.name.hasPrefix("filter[") && $0.name.hasSuffix("]") }
        if !filters.isEmpty { return try filtered(type, filters, market) }
        guard let ids = target.list("ids") else {
            if type == .genres || type == .stationGenres { return try whole(type, market) }
            throw .missingParameter("ids")
        }
        let context = try context(market)
        return list(try batch(type, ids, context), context)
    }

    func batch(_ type: SimulatedType, _ ids: [String], _ context: RenderContext) throws(APIError) -> [Resource] {
        try batch(type, ids) { find(type, $0, context) }
    }

    /// `/v1/catalog/{storefront}?ids[songs]=..&ids[albums]=..`.
    private func multiType(_ market: Market) throws(APIError) -> Reply {
        let context = try context(market)
        var asked: Set<SimulatedType> = []
        let items = try typedBatch(SimulatedType.init(catalogPathElement:)) { (type, ids) throws(APIError) in
            asked.insert(type).inserted ? try batch(type, ids, context) : []
        }
        return list(items, context)
    }

    /// Answers with all genres; `limit` and `offset` apply, unasked there is one page.
    private func whole(_ type: SimulatedType, _ market: Market) throws(APIError) -> Reply {
        let all = Genre.all.indices.map { Resource(type, $0) }
        let paging = try Paging(target, PageLimits(standard: all.count, most: 200))
        let path = "/v1/catalog/" + market.code + "/" + type.name
        return collection(all, paging, try context(market), path: path, place: .primary)
    }

    private func relationship(
        _ type: SimulatedType, _ id: String, _ name: String, _ market: Market
    ) throws(APIError) -> Reply {
        let user = Relation(name: name) == .library ? try requireUser() : nil
        let context = try context(market, user: user)
        guard let resource = find(type, id, context) else { throw .notFound }
        return try relationship(of: resource, name, context)
    }

    /// `/view/{name}`; an empty view is legal and not an error (APPLE-MUSIC-API 5.1.8).
    private func view(
        _ type: SimulatedType, _ id: String, _ name: String, _ market: Market
    ) throws(APIError) -> Reply {
        let context = try context(market)
        guard let resource = find(type, id, context) else { throw .notFound }
        guard let view = View(name: name), type.views.contains(view) else { throw .noRelated(name) }
        let paging = try Paging(target, type.viewLimits)
        let list = context.listed(catalog.elements(of: view, resource, in: market))
        let page = Page(list, paging, context, cut: context.listCut(of: resource))
        let path = context.path(of: resource) + "/view/" + name
        return reply(context) { renderer in
            if decorations.hasViewAttributes { renderer.viewAttributes(view) }
            renderer.next(path, page.nextOffset, limit: target.first("limit"))
            data(page.items, &renderer, .item(isMixed: false))
        }
    }
}
