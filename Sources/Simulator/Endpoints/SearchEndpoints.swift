import Text

// Search, hints and suggestions (APPLE-MUSIC-API 3.1.14, 5.1.3, 7.5).

extension SimulatedExchange {
    /// In the order in which an answer has them.
    private static let searchTypes: [SimulatedType] = [
        .artists, .albums, .songs, .playlists, .stations, .musicVideos, .activities, .appleCurators, .curators,
        .recordLabels,
    ]

    func search(_ market: Market) throws(APIError) -> Reply {
        let types = try types(Self.searchTypes)
        let term = try term()
        let paging = try Paging(target, PageLimits(standard: 5, most: 25))
        let context = try context(market)
        let found = world.searchIndex().find(term)
        return reply(context) { renderer in
            renderer.json.beginObject("results")
            let path = "/v1/catalog/" + market.code + "/search"
            var present = results(types, path, term, paging, limit: String(paging.limit), &renderer) {
                found.list($0, catalog, market)
            }
            if target.list("with")?.contains("topResults") ?? false {
                renderer.json.beginObject("top")
                data(top(8, types, 2, found, context), &renderer, .item(isMixed: true))
                renderer.json.endObject()
                present.insert("top", at: 0)
            }
            renderer.json.endObject()
            order(present, &renderer)
        }
    }

    func term() throws(APIError) -> String {
        guard let term = target.first("term"), !term.isEmpty else { throw .missingParameter("term") }
        return term
    }

    /// Writes `{href, next?, data}` of each type that has results; `href` keeps the limit, `next`
    /// drops it (APPLE-MUSIC-API 7.5).
    /// - Returns: the names of these types.
    func results(
        _ types: [SimulatedType], _ path: String, _ term: String, _ paging: Paging, limit: String?,
        _ renderer: inout Renderer, _ list: (SimulatedType) -> [Resource]
    ) -> [String] {
        let tag = renderer.context.tag
        return types.compactMap { type -> String? in
            let page = Page(list(type), paging, renderer.context)
            guard !page.items.isEmpty else { return nil }
            renderer.json.beginObject(type.name)
            renderer.json.link("href", path, ["l": tag, "limit": limit, "term": term, "types": type.name])
            if let offset = page.nextOffset {
                renderer.json.link(
                    "next", path, ["l": tag, "offset": String(offset), "term": term, "types": type.name])
            }
            data(page.items, &renderer, .item(isMixed: true))
            renderer.json.endObject()
            return type.name
        }
    }

    /// The first results of each type, at most `each` of one and `most` of all.
    private func top(
        _ most: Int, _ types: [SimulatedType], _ each: Int, _ found: SearchMatches, _ context: RenderContext
    ) -> [Resource] {
        let items = types.flatMap { found.list($0, catalog, context.market).compactMap(context.shown).prefix(each) }
        return Array(items.prefix(most))
    }

    func hints(_ market: Market) throws(APIError) -> Reply {
        let term = try term()
        let paging = try Paging(target, PageLimits(standard: 10, most: 50))
        _ = try context(market)
        let terms = world.searchIndex().completions(term, limit: paging.limit)
        let results: JSON = ["results": ["terms": .array(terms.map(JSON.string))]]
        return Reply(body: results.bytes)
    }

    func suggestions(_ market: Market) throws(APIError) -> Reply {
        guard let kinds = target.list("kinds"), !kinds.isEmpty else { throw .missingParameter("kinds") }
        let term = try term()
        let paging = try Paging(target, PageLimits(standard: 5, most: 10))
        let types = target.list("types") == nil ? [.artists, .albums, .songs] : try types(Self.searchTypes)
        let context = try context(market)
        for kind in kinds where kind != "terms" && kind != "topResults" {
            throw .invalidParameter("kinds", "Unknown kind '" + kind + "'")
        }
        return reply(context) { renderer in
            renderer.json.beginObject("results")
            renderer.json.beginArray("suggestions")
            for kind in kinds {
                if kind == "terms" {
                    termSuggestions(term, paging.limit, &renderer)
                } else {
                    topSuggestions(top(paging.limit, types, 3, world.searchIndex().find(term), context), &renderer)
                }
            }
            renderer.json.endArray()
            renderer.json.endObject()
        }
    }

    private func termSuggestions(_ term: String, _ limit: Int, _ renderer: inout Renderer) {
        for completion in world.searchIndex().completions(term, limit: limit) {
            let text = JSON.string(completion)
            renderer.json.member(nil, ["kind": "terms", "searchTerm": text, "displayTerm": text])
        }
    }

    private func topSuggestions(_ items: [Resource], _ renderer: inout Renderer) {
        for item in items {
            renderer.json.beginObject()
            renderer.json.member("kind", "topResults")
            renderer.json.key("content")
            renderer.object(item, .item(isMixed: true))
            renderer.json.endObject()
        }
    }
}
