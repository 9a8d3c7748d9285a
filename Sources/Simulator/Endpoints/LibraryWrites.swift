// Writes to a library: items of the catalog are added by id (APPLE-MUSIC-API 3.2.15). Playlists are
// as they were seeded: none is created or changed.

extension SimulatedExchange {
    func write(_ elements: [String], _ user: UserLibrary) throws(APIError) -> Reply {
        // No way to delete from a library with a normal developer token: 401
        // (APPLE-MUSIC-API 3.2.22).
        if request.method == "DELETE", elements.count == 2, elements[0] == "playlists" { throw .unauthorized }
        guard request.method == "POST", elements.isEmpty else { throw .methodNotAllowed }
        return try addToLibrary(user)
    }

    /// `POST /me/library?ids[albums]=1,2`: unknown ids are ignored, the answer has no body.
    private func addToLibrary(_ user: UserLibrary) throws(APIError) -> Reply {
        let types: [SimulatedType] = [.albums, .songs, .musicVideos, .playlists]
        let items = try typedBatch { name in
            types.first { $0.name == name }
        } items: { type, ids in
            ids.compactMap { catalog.resource(type, id: $0) }
        }
        let available = items.filter { catalog.isAvailable($0, in: user.market) }
        api.change(user.name) { library in
            for item in available { library.add(item, request.nowUnixSeconds, catalog) }
        }
        return Reply(status: 202)
    }
}

extension UserLibrary {
    /// Adds a catalog item the way its type is added.
    mutating func add(_ resource: Resource, _ now: Int64, _ catalog: Catalog) {
        switch resource.type {
        case .albums: add(album: resource.number, now, catalog)
        case .songs: add(song: resource.number, now)
        case .musicVideos: if !musicVideos.contains(resource.number) { musicVideos.insert(resource.number, at: 0) }
        case .playlists:
            if playlists.contains(where: { $0.catalogPlaylist == resource.number }) { return }
            playlists.insert(
                LibraryPlaylist(
                    serial: takeSerial(), name: catalog.name(ofPlaylist: resource.number, .english), description: nil,
                    tracks: catalog.tracks(ofPlaylist: resource.number).map(\.number), addedAt: now,
                    catalogPlaylist: resource.number), at: 0)
        default: return
        }
    }
}
