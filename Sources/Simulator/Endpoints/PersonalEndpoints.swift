// `/v1/me/...`: needs a Music-User-Token, all of it (APPLE-MUSIC-API 3.2).

extension SimulatedExchange {
    func personalReply(_ elements: [String]) throws(APIError) -> Reply {
        let user = try requireUser()
        guard let first = elements.first else { throw .notFound }
        if first == "storefront", elements.count == 1 {
            try requireRead()
            return single(Resource(.storefronts, user.market.index), try context(user.market, user: user))
        }
        guard user.hasSubscription else {
            throw .insufficientPrivileges(first == "library" ? "CloudLibrary" : "ListeningHistory")
        }
        if user.name == "user-failing" { throw .upstreamService }
        let rest = Array(elements.dropFirst())
        switch first {
        case "library": return try library(rest, user)
        case "ratings": return try ratings(rest, user)
        case "recommendations":
            try requireRead()
            return try recommendations(rest, user)
        case "recent", "history":
            try requireRead()
            return try listening(elements, user)
        default: throw .notFound
        }
    }

    /// Played items. They are catalog resources without relationships (APPLE-MUSIC-API 5.3.6);
    /// unscoped includes are ignored because types mix (APPLE-MUSIC-API 6.7).
    private func listening(_ elements: [String], _ user: UserLibrary) throws(APIError) -> Reply {
        let path = elements.joined(separator: "/")
        var limits = PageLimits(standard: 10, most: 10)
        var list: [Resource]
        switch path {
        case "recent/played": list = user.recentlyPlayed(catalog)
        case "recent/played/tracks":
            limits = PageLimits(standard: 30, most: 30)
            list = user.recentTracks(catalog)
        case "recent/radio-stations": list = user.recentStations(catalog)
        case "history/heavy-rotation": list = user.heavyRotation(catalog)
        default: throw .notFound
        }
        if target.list("types") != nil {
            let wanted = try types([.songs, .musicVideos, .albums, .playlists, .stations, .librarySongs])
            list = list.filter { wanted.contains($0.type) }
        }
        let paging = try Paging(target, limits)
        let context = try context(user.market, user: user)
        let page = Page(list, paging, context)
        return reply(context) { renderer in
            data(page.items, &renderer, .item(isMixed: true))
            guard let offset = page.nextOffset else { return }
            // `types` is kept, `limit` is dropped (APPLE-MUSIC-API 7.3).
            renderer.json.link(
                "next", "/v1/me/" + path, ["l": context.tag, "offset": String(offset), "types": target.first("types")])
        }
    }

    private func recommendations(_ elements: [String], _ user: UserLibrary) throws(APIError) -> Reply {
        let context = try context(user.market, user: user)
        let all = (0..<UserLibrary.recommendationCount).map { Resource(.personalRecommendation, $0) }
        guard let id = elements.first else {
            if let ids = target.list("ids") {
                if ids.isEmpty { throw .noIDs }
                return list(ids.compactMap { user.recommendation(id: $0, catalog) }, context)
            }
            return list(all, context)
        }
        guard let resource = user.recommendation(id: id, catalog) else { throw .notFound }
        if elements.count == 1 { return single(resource, context) }
        guard elements.count == 2 else { throw .noRelated(elements[1]) }
        return try relationship(of: resource, elements[1], context)
    }
}
