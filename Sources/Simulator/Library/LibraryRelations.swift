// Relationships of library resources, and the catalog item of each.

extension UserLibrary {
    func related(_ resource: Resource, _ relation: Relation, _ catalog: Catalog) -> [Resource] {
        if relation == .catalog { return catalogItem(resource, catalog).map { [$0] } ?? [] }
        let number = resource.number
        switch (resource.type, relation) {
        case (.libraryAlbums, .tracks):
            return (entry(ofAlbum: number)?.tracks ?? []).map {
                Resource(.librarySongs, number * Catalog.songSpan + $0 + 1)
            }
        case (.libraryAlbums, .artists), (.librarySongs, .artists):
            return [Resource(.libraryArtists, catalog.artist(of: resource))]
        case (.libraryArtists, .albums):
            return albums.filter { catalog.artist(ofAlbum: $0.album) == number }.map {
                Resource(.libraryAlbums, $0.album)
            }
        case (.librarySongs, .albums): return [Resource(.libraryAlbums, catalog.album(of: resource))]
        case (.libraryMusicVideos, .artists):
            let artist = Resource(.libraryArtists, catalog.artist(ofVideo: number))
            return contains(artist, catalog) ? [artist] : []
        case (.libraryPlaylists, .tracks):
            return (playlist(number)?.tracks ?? []).map { Resource(.librarySongs, $0) }
        case (.libraryPlaylistFolders, .children):
            return folders.filter { $0.parent == number }.map { Resource(.libraryPlaylistFolders, $0.serial) }
                + playlists.filter { $0.folder == number }.map { Resource(.libraryPlaylists, $0.serial) }
        case (.libraryPlaylistFolders, .parent):
            return folder(number).map { [Resource(.libraryPlaylistFolders, $0.parent)] } ?? []
        default: return []
        }
    }

    /// The catalog item of a library item. For a few it is missing although `playParams.catalogId`
    /// names it, and `/catalog` then answers 404 (APPLE-MUSIC-API 6.8).
    private func catalogItem(_ resource: Resource, _ catalog: Catalog) -> Resource? {
        let isLost = catalog.seed.isOne(in: 17, .library, resource.number, key &+ Int(resource.type.rawValue))
        switch resource.type {
        case .libraryAlbums: return isLost ? nil : Resource(.albums, resource.number)
        case .libraryArtists: return isLost ? nil : Resource(.artists, resource.number)
        case .librarySongs: return isLost ? nil : Resource(.songs, resource.number)
        case .libraryMusicVideos: return Resource(.musicVideos, resource.number)
        case .libraryPlaylists: return playlist(resource.number)?.catalogPlaylist.map { Resource(.playlists, $0) }
        default: return nil
        }
    }

    /// The library item of a catalog item, if the user has it (the `library` relationship).
    func libraryItem(of resource: Resource) -> Resource? {
        switch resource.type {
        case .albums: return entry(ofAlbum: resource.number).map { Resource(.libraryAlbums, $0.album) }
        case .songs: return contains(song: resource.number) ? Resource(.librarySongs, resource.number) : nil
        case .musicVideos:
            return musicVideos.contains(resource.number) ? Resource(.libraryMusicVideos, resource.number) : nil
        case .playlists:
            return playlists.first { $0.catalogPlaylist == resource.number }
                .map { Resource(.libraryPlaylists, $0.serial) }
        default: return nil
        }
    }
}
