// `filter[..]`: resources found by something other than their id, and `meta.filters`, which lists
// the resources of each value (APPLE-MUSIC-API 5.1.5).

extension SimulatedExchange {
    func filtered(_ type: SimulatedType, _ filters: [TargetParameter], _ market: Market) throws(APIError) -> Reply {
        let isPersonal = filters.contains { $0.name == "filter[identity]" && $0.value == "personal" }
        let user = isPersonal ? try requireUser() : nil
        let context = try context(market, user: user)
        if type == .stations, let user { return personalStation(user, context) }
        var items: [Resource] = []
        if let ids = target.list("ids") { items = try batch(type, ids, context) }
        var found: [(name: String, values: [(value: String, items: [Resource])])] = []
        for filter in filters {
            let name = String(filter.name.dropFirst("filter[".count).dropLast())
            let values = target.list(filter.name) ?? []
            if found.contains(where: { $0.name == name }) { continue }
            try checkCount(type, name, values.count)
            let pairs = values.compactMap { value in
                lookUp(type, name, value, context).map { (value: Self.key(name, value), items: $0) }
            }
            if !pairs.isEmpty { found.append((name, pairs)) }
        }
        if found.isEmpty, items.isEmpty { throw .missingParameter("ids") }
        for item in found.flatMap(\.values).flatMap(\.items) where !items.contains(item) { items.append(item) }
        return reply(context) { renderer in
            data(items, &renderer, .primary)
            meta(found, &renderer)
        }
    }

    /// How many values a filter takes (APPLE-MUSIC-API 4.1.7, 4.1.8).
    private func checkCount(_ type: SimulatedType, _ name: String, _ count: Int) throws(APIError) {
        let most = name == "isrc" || (name == "equivalents" && type == .musicVideos) ? 25 : 300
        if count > most {
            throw .invalidParameter(
                "filter[" + name + "]", "Too many values: at most \(most) are allowed, but there were \(count)")
        }
    }

    /// UPCs are normalised, everything else is the key as it was asked for.
    private static func key(_ name: String, _ value: String) -> String {
        name == "upc" ? Catalog.normalised(upc: value) : value
    }

    /// Resources that a filter finds; nil for a filter the type does not have, which is ignored.
    private func lookUp(
        _ type: SimulatedType, _ name: String, _ value: String, _ context: RenderContext
    ) -> [Resource]? {
        switch (type, name) {
        case (.songs, "isrc"): return catalog.songs(isrc: value).compactMap(context.shown)
        case (.musicVideos, "isrc"): return catalog.videos(isrc: value).compactMap(context.shown)
        case (.albums, "upc"): return catalog.albums(upc: value).compactMap(context.shown)
        case (.songs, "equivalents"), (.albums, "equivalents"), (.musicVideos, "equivalents"):
            guard let resource = catalog.resource(type, id: value) else { return [] }
            return equivalent(of: resource, context).map { [$0] } ?? []
        case (.playlists, "storefront-chart"):
            return (0..<catalog.playlistCount).filter { catalog.chartMarket(ofPlaylist: $0)?.code == value }
                .map { Resource(.playlists, $0) }.compactMap(context.shown)
        case (.stations, "featured"):
            return value == "apple-music-live-radio" ? (0..<3).map { Resource(.stations, $0) } : []
        default: return nil
        }
    }

    /// The resource itself where the storefront has it, else the same recording on another album.
    private func equivalent(of resource: Resource, _ context: RenderContext) -> Resource? {
        if let shown = context.shown(resource) { return shown }
        switch resource.type {
        case .songs:
            return catalog.songs(isrc: catalog.isrc(ofSong: resource.number)).lazy.compactMap(context.shown).first
        case .albums:
            guard catalog.edition(ofAlbum: resource.number) == .clean else { return nil }
            return context.shown(Resource(.albums, resource.number - 1))
        default: return nil
        }
    }

    /// `"meta":{"filters":{filter:{value:[identifiers]}}}`.
    func meta(
        _ found: [(name: String, values: [(value: String, items: [Resource])])], _ renderer: inout Renderer
    ) {
        renderer.json.beginObject("meta")
        renderer.json.beginObject("filters")
        for filter in found {
            renderer.json.beginObject(filter.name)
            for (value, items) in filter.values {
                renderer.json.beginArray(value)
                for item in items { renderer.identifier(item) }
                renderer.json.endArray()
            }
            renderer.json.endObject()
        }
        renderer.json.endObject()
        renderer.json.endObject()
    }

    private func personalStation(_ user: UserLibrary, _ context: RenderContext) -> Reply {
        let id = user.stationID(catalog)
        return reply(context) { renderer in
            renderer.json.beginArray("data")
            renderer.personalStation(id, user)
            renderer.json.endArray()
            renderer.json.key("meta")
            renderer.json.raw("{\"filters\":{\"identity\":{\"personal\":[{")
            renderer.personalHead(id)
            renderer.json.raw("}]}}}")
        }
    }
}
