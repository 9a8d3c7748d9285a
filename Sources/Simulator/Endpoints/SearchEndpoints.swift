// Search, hints and suggestions (APPLE-MUSIC-API 3.1.14, 5.1.3, 7.5).

extension SimulatedExchange {
    /// In the order in which an answer has them.
    private static let searchTypes: [SimulatedType] = [
        .artists, .albums, .songs, .playlists, .stations, .musicVideos, .activities, .appleCurators, .curators,
        .recordLabels,
    ]

    func search(_ market: Market) throws(APIError) -> Reply {
        let types = try types(Self.searchTypes)
        guard let term = target.first("term"), !term.isEmpty else { throw .missingParameter("term") }
        let paging = try Paging(target, PageLimits(standard: 5, most: 25))
        let context = try context(market)
        let found = api.searchIndex().find(term)
        return reply(context) { renderer in
            var present: [String] = []
            renderer.json.beginObject("results")
            for type in types {
                let page = Page(found.list(type, catalog, market), paging, keep: context.shown)
                guard !page.items.isEmpty else { continue }
                present.append(type.name)
                renderer.json.key(type.name)
                let path = "/v1/catalog/" + market.code + "/search"
                results(page, path, term, type, limit: String(paging.limit), &renderer)
            }
            if target.list("with")?.contains("topResults") ?? false {
                topResults(types, found, market, &renderer)
                present.insert("top", at: 0)
            }
            renderer.json.endObject()
            order(present, &renderer)
        }
    }

    /// `{href, next?, data}` of one type: `href` keeps the limit, `next` drops it
    /// (APPLE-MUSIC-API 7.5).
    func results(
        _ page: Page, _ path: String, _ term: String, _ type: SimulatedType, limit: String?, _ renderer: inout Renderer
    ) {
        let tag = renderer.context.tag
        renderer.json.beginObject()
        renderer.json.link("href", path, ["l": tag, "limit": limit, "term": term, "types": type.name])
        if let offset = page.nextOffset {
            renderer.json.link(
                "next", path, ["l": tag, "offset": String(offset), "term": term, "types": type.name])
        }
        data(page.items, &renderer, .item(isMixed: true))
        renderer.json.endObject()
    }

    private func topResults(
        _ types: [SimulatedType], _ found: SearchMatches, _ market: Market, _ renderer: inout Renderer
    ) {
        renderer.json.beginObject("top")
        let items = types.flatMap { found.list($0, catalog, market).compactMap(renderer.context.shown).prefix(2) }
        data(Array(items.prefix(8)), &renderer, .item(isMixed: true))
        renderer.json.endObject()
    }

    func hints(_ market: Market) throws(APIError) -> Reply {
        guard let term = target.first("term"), !term.isEmpty else { throw .missingParameter("term") }
        let paging = try Paging(target, PageLimits(standard: 10, most: 50))
        _ = try context(market)
        let terms = api.searchIndex().completions(term, limit: paging.limit)
        return Reply(["results": ["terms": terms] as JSONMembers])
    }

    func suggestions(_ market: Market) throws(APIError) -> Reply {
        guard let kinds = target.list("kinds"), !kinds.isEmpty else { throw .missingParameter("kinds") }
        guard let term = target.first("term"), !term.isEmpty else { throw .missingParameter("term") }
        let paging = try Paging(target, PageLimits(standard: 5, most: 10))
        let types = target.list("types") == nil ? [.artists, .albums, .songs] : try types(Self.searchTypes)
        var renderer = Renderer(try context(market))
        renderer.json.beginObject()
        renderer.json.beginObject("results")
        renderer.json.beginArray("suggestions")
        for kind in kinds {
            switch kind {
            case "terms": termSuggestions(term, paging.limit, &renderer)
            case "topResults": topSuggestions(term, types, paging.limit, market, &renderer)
            default: throw .invalidParameter("kinds", "Unknown kind '" + kind + "'")
            }
        }
        renderer.json.endArray()
        renderer.json.endObject()
        renderer.json.endObject()
        return Reply(renderer.json)
    }

    private func termSuggestions(_ term: String, _ limit: Int, _ renderer: inout Renderer) {
        for completion in api.searchIndex().completions(term, limit: limit) {
            renderer.json.object(["kind": "terms", "searchTerm": completion, "displayTerm": completion])
        }
    }

    private func topSuggestions(
        _ term: String, _ types: [SimulatedType], _ limit: Int, _ market: Market, _ renderer: inout Renderer
    ) {
        let found = api.searchIndex().find(term)
        let items = types.flatMap { found.list($0, catalog, market).compactMap(renderer.context.shown).prefix(3) }
        for item in items.prefix(limit) {
            renderer.json.beginObject()
            renderer.json.member("kind", "topResults")
            renderer.json.key("content")
            renderer.object(item, .item(isMixed: true))
            renderer.json.endObject()
        }
    }
}
