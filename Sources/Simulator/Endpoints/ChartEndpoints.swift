import Text

// `/v1/catalog/{storefront}/charts` (APPLE-MUSIC-API 3.1.13, 4.1.12, 7.6).

extension SimulatedExchange {
    private static let chartTypes: [SimulatedType] = [.albums, .songs, .musicVideos, .playlists]
    private static let chartLength = 200

    func charts(_ market: Market) throws(APIError) -> Reply {
        let types = try types(Self.chartTypes)
        let paging = try chartPaging()
        let context = try context(market)
        let genre = target.first("genre")
        return reply(context) { renderer in
            renderer.json.beginObject("results")
            for type in types {
                renderer.json.beginArray(type.name)
                let page = Page(chart(type, market, genre: genre), paging, context)
                chart(type, page, &renderer)
                renderer.json.endArray()
            }
            for name in target.list("with") ?? [] { namedCharts(name, &renderer) }
            renderer.json.endObject()
            order(types.map { chartKind + ":" + $0.name }, &renderer, hasRawOrder: false)
        }
    }

    private var chartKind: String { target.first("chart") ?? "most-played" }

    private func chartPaging() throws(APIError) -> Paging {
        let paging = try Paging(target, PageLimits(standard: 20, most: 200))
        if paging.offset >= Self.chartLength { throw .invalidParameter("offset", "offset must be less than 200") }
        return paging
    }

    /// The entries of one chart, best first; every storefront has its own taste, and every revision
    /// its newcomers.
    func chart(_ type: SimulatedType, _ market: Market, genre: String?) -> [Resource] {
        let genreNumber = genre.flatMap { id in Genre.all.firstIndex { $0.id == id } }
        if genre != nil, genreNumber == nil { return [] }
        let start = catalog.seed.number(below: 1 << 20, .chart, market.index, Int(type.rawValue))
        let count = type == .songs ? catalog.albumCount : catalog.count(of: type)
        var list: [Resource] = []
        var seen: Set<Int> = []
        for step in 0..<count {
            let number = (start + (step + 3 * catalog.revision) * 7919) % count
            guard seen.insert(number).inserted else { continue }
            if let genreNumber, genreNumber > 0, genreOf(type, number) != genreNumber { continue }
            list.append(type == .songs ? catalog.song(album: number, track: 0) : Resource(type, number))
            if list.count == Self.chartLength { break }
        }
        return list
    }

    private func genreOf(_ type: SimulatedType, _ number: Int) -> Int? {
        switch type {
        case .albums, .songs: catalog.genre(ofArtist: catalog.artist(ofAlbum: number))
        case .musicVideos: catalog.genre(ofArtist: catalog.artist(ofVideo: number))
        default: nil
        }
    }

    private func chart(_ type: SimulatedType, _ page: Page, _ renderer: inout Renderer) {
        let kind = chartKind
        let names: [SimulatedType: String] = [
            .albums: "Top Albums", .songs: "Top Songs", .musicVideos: "Top Videos", .playlists: "Top Playlists",
        ]
        renderer.json.beginObject()
        renderer.json.member("chart", kind)
        renderer.json.member("name", names[type] ?? "")
        renderer.json.member("orderId", kind + ":" + type.name)
        chartLink("href", type, renderer.context, offset: nil, &renderer.json)
        if let offset = page.nextOffset {
            chartLink("next", type, renderer.context, offset: offset, &renderer.json)
        }
        data(page.items, &renderer, .item(isMixed: true))
        renderer.json.endObject()
    }

    /// Parameters in alphabetical order, narrowed to one type; the client's `limit` is kept
    /// (APPLE-MUSIC-API 7.4, 7.6).
    private func chartLink(
        _ name: String, _ type: SimulatedType, _ context: RenderContext, offset: Int?, _ json: inout JSONBytes
    ) {
        json.link(
            name, "/v1/catalog/" + context.market.code + "/charts",
            [
                "chart": chartKind, "genre": target.first("genre"), "l": context.tag, "limit": target.first("limit"),
                "offset": offset.map(String.init), "types": type.name,
            ])
    }

    /// `with=cityCharts,dailyGlobalTopCharts`: chart playlists.
    private func namedCharts(_ name: String, _ renderer: inout Renderer) {
        guard name == "cityCharts" || name == "dailyGlobalTopCharts" else { return }
        let first = name == "cityCharts" ? 1 : 41
        let playlists = stride(from: first, to: min(catalog.playlistCount, first + 400), by: 80)
            .map { Resource(.playlists, $0) }.compactMap(renderer.context.shown)
        renderer.json.beginArray(name)
        renderer.json.beginObject()
        renderer.json.member("chart", name == "cityCharts" ? "city-top" : "daily-global-top")
        renderer.json.member("name", name == "cityCharts" ? "City Charts" : "Daily Top 100")
        renderer.json.member("orderId", name + ":playlists")
        data(playlists, &renderer, .item(isMixed: true))
        renderer.json.endObject()
        renderer.json.endArray()
    }

    /// The types of a request: at least one, all of them known (APPLE-MUSIC-API 8.3). Each comes
    /// once, in the order of `known` and not in that of the request (5.1.9).
    func types(_ known: [SimulatedType]) throws(APIError) -> [SimulatedType] {
        guard let names = target.list("types"), !names.isEmpty else { throw .missingParameter("types") }
        var asked: Set<SimulatedType> = []
        for name in names {
            guard let type = SimulatedType(name: name), known.contains(type) else { throw .unknownType(name) }
            asked.insert(type)
        }
        return known.filter(asked.contains)
    }

    /// `"meta":{"results":{"order":[..],"rawOrder":[..]}}` (APPLE-MUSIC-API 5.1.3).
    func order(_ names: [String], _ renderer: inout Renderer, hasRawOrder: Bool = true) {
        let names = JSON.array(names.map(JSON.string))
        renderer.json.member(
            "meta", ["results": hasRawOrder ? ["order": names, "rawOrder": names] : ["order": names]])
    }
}
