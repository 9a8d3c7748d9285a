// `/v1/me/library/...`: lists with `meta.total`, single items, relationships, search, and the way
// to the writes.

extension SimulatedExchange {
    private static let searchable: [SimulatedType] = [
        .libraryAlbums, .libraryArtists, .librarySongs, .libraryMusicVideos, .libraryPlaylists,
    ]

    func library(_ elements: [String], _ user: UserLibrary) throws(APIError) -> Reply {
        if !isRead { return try write(elements, user) }
        let context = try context(user.market, user: user)
        guard let first = elements.first else { return try libraryBatch(user, context) }
        if elements.count == 1, first == "search" { return try librarySearch(user, context) }
        if elements.count == 1, first == "recently-added" { return try recentlyAdded(user, context) }
        guard let type = SimulatedType(libraryPathElement: first) else { throw .unknownLibraryType }
        switch elements.count {
        case 1: return try libraryList(type, first, user, context)
        case 2, 3:
            guard let resource = user.resource(type, id: elements[1], catalog) else { throw .notFound }
            if elements.count == 3 { return try relationship(of: resource, elements[2], context) }
            return single(resource, context)
        default: throw .notFound
        }
    }

    private func libraryList(
        _ type: SimulatedType, _ element: String, _ user: UserLibrary, _ context: RenderContext
    ) throws(APIError) -> Reply {
        if let ids = target.list("ids") { return list(try libraryBatch(type, ids, user), context) }
        if type == .libraryPlaylistFolders { return try rootFolder(context) }
        let paging = try Paging(target, PageLimits(standard: 25, most: 100))
        let all = user.all(type, catalog)
        // An empty library has no `songs` at all (APPLE-MUSIC-API 7.14), and neither is there
        // anything past the end.
        guard paging.offset < all.count else { throw .noRelated(element) }
        return collection(
            all, paging, context, path: "/v1/me/library/" + element, place: .primary, hasTotal: true)
    }

    private func libraryBatch(
        _ type: SimulatedType, _ ids: [String], _ user: UserLibrary
    ) throws(APIError) -> [Resource] {
        try batch(type, ids) { user.resource(type, id: $0, catalog) }
    }

    /// `/me/library?ids[library-songs]=..`.
    private func libraryBatch(_ user: UserLibrary, _ context: RenderContext) throws(APIError) -> Reply {
        let items = try typedBatch {
            SimulatedType(name: $0).flatMap { $0.isLibrary ? $0 : nil }
        } items: {
            (type, ids) throws(APIError) in
            try libraryBatch(type, ids, user)
        }
        return list(items, context)
    }

    /// `?filter[identity]=playlistsroot`: the folder all others are in.
    private func rootFolder(_ context: RenderContext) throws(APIError) -> Reply {
        guard target.first("filter[identity]") == "playlistsroot" else { throw .missingParameter("ids") }
        let root = Resource(.libraryPlaylistFolders, UserLibrary.rootFolder)
        return reply(context) { renderer in
            data([root], &renderer, .primary)
            meta([("identity", [("playlistsroot", [root])])], &renderer)
        }
    }

    /// `/me/library/search`: names that contain the term, per type.
    private func librarySearch(_ user: UserLibrary, _ context: RenderContext) throws(APIError) -> Reply {
        let types = try types(Self.searchable)
        let term = try term()
        let paging = try Paging(target, PageLimits(standard: 5, most: 25))
        let wanted = Array(term.lowercased().utf8)
        return reply(context) { renderer in
            renderer.json.beginObject("results")
            let limit = target.first("limit")
            let present = results(types, "/v1/me/library/search", term, paging, limit: limit, &renderer) { type in
                user.all(type, catalog).filter { item in
                    let name = user.name(of: item) ?? catalog.name(of: item, .english)
                    return Array(name.lowercased().utf8).containsBytes(wanted)
                }
            }
            renderer.json.endObject()
            order(present, &renderer, hasRawOrder: false)
        }
    }

    /// Pages of ten, newest first, albums and playlists mixed.
    private func recentlyAdded(_ user: UserLibrary, _ context: RenderContext) throws(APIError) -> Reply {
        let paging = try Paging(target, PageLimits(standard: 10, most: 25))
        let albums = user.albums.map { (at: $0.addedAt, item: Resource(.libraryAlbums, $0.album)) }
        let playlists = user.playlists.map { (at: $0.addedAt, item: Resource(.libraryPlaylists, $0.serial)) }
        let items = (albums + playlists).sorted { $0.at > $1.at }.prefix(120).map(\.item)
        guard paging.offset < items.count else { throw .noRelated("recently-added") }
        return collection(
            items, paging, context, path: "/v1/me/library/recently-added", place: .item(isMixed: true))
    }
}
