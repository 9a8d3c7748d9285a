// The attributes of library resources. Library songs have no isrc (APPLE-MUSIC-API 5.2.6).

import Text

extension Renderer {
    mutating func libraryAttributes(_ resource: Resource) {
        guard let user = context.user else { return }
        switch resource.type {
        case .libraryAlbums: libraryAlbum(resource, user)
        case .librarySongs: librarySong(resource)
        case .libraryMusicVideos: libraryVideo(resource)
        case .libraryArtists: attribute("name", catalog.name(ofArtist: resource.number, context.language))
        case .libraryPlaylists: libraryPlaylist(resource, user)
        case .libraryPlaylistFolders:
            attribute("name", user.folder(resource.number)?.name ?? "")
            if let folder = user.folder(resource.number) { attribute("dateAdded", LogTime.rfc3339(folder.addedAt)) }
        default: return
        }
    }

    private mutating func libraryAlbum(_ resource: Resource, _ user: UserLibrary) {
        let album = resource.number
        let artist = catalog.artist(ofAlbum: album)
        attribute("trackCount", user.entry(ofAlbum: album)?.tracks.count ?? 0)
        attribute("genreNames", [Genre.all[catalog.genre(ofArtist: artist)].name(context.language)])
        attribute("releaseDate", catalog.date(ofAlbum: album, in: context.market).text)
        attribute("name", catalog.name(ofAlbum: album))
        attribute("artistName", catalog.name(ofArtist: artist, context.language))
        artwork(Resource(.albums, album), width: 1200, height: 1200, hasColours: false)
        libraryPlayParams(resource, kind: "album")
        if let entry = user.entry(ofAlbum: album) { attribute("dateAdded", LogTime.rfc3339(entry.addedAt)) }
    }

    private mutating func librarySong(_ resource: Resource) {
        let song = resource.number
        let (album, track) = (song / Catalog.songSpan, song % Catalog.songSpan - 1)
        let artist = catalog.artist(ofAlbum: album)
        attribute("albumName", catalog.name(ofAlbum: album))
        attribute("discNumber", 1 + track / 100)
        attribute("genreNames", [Genre.all[catalog.genre(ofArtist: artist)].name(context.language)])
        attribute("trackNumber", track + 1)
        attribute("hasLyrics", song % 5 != 0)
        attribute("releaseDate", catalog.date(ofAlbum: album, in: context.market).text)
        attribute("durationInMillis", duration(ofSong: song))
        attribute("name", catalog.name(ofSong: song))
        attribute("artistName", catalog.name(ofArtist: artist, context.language))
        artwork(Resource(.albums, album), width: 1200, height: 1200, hasColours: false)
        libraryPlayParams(resource, kind: "song", catalogItem: Resource(.songs, song))
        if catalog.isExplicit(song: song) { attribute("contentRating", "explicit") }
    }

    private mutating func libraryVideo(_ resource: Resource) {
        let artist = catalog.artist(ofVideo: resource.number)
        attribute("name", catalog.name(ofVideo: resource.number))
        attribute("trackNumber", 0)
        libraryPlayParams(resource, kind: "musicVideo", catalogItem: Resource(.musicVideos, resource.number))
        artwork(Resource(.musicVideos, resource.number), width: 1200, height: 1200, hasColours: false)
        attribute("artistName", catalog.name(ofArtist: artist, context.language))
        attribute("durationInMillis", 90_000 + catalog.seed.number(below: 300_000, .duration, resource.number, 1))
        attribute("genreNames", [Genre.all[catalog.genre(ofArtist: artist)].name(context.language)])
    }

    private mutating func libraryPlaylist(_ resource: Resource, _ user: UserLibrary) {
        guard let playlist = user.playlist(resource.number) else { return }
        attribute("canEdit", playlist.catalogPlaylist == nil)
        attribute("name", playlist.name)
        if let description = playlist.description { attribute("description", ["standard": description]) }
        attribute("dateAdded", LogTime.rfc3339(playlist.addedAt))
        attribute("isPublic", false)
        attribute("hasCatalog", playlist.catalogPlaylist != nil)
        libraryPlayParams(resource, kind: "playlist", global: playlist.catalogPlaylist.map { Resource(.playlists, $0) })
    }

    private mutating func libraryPlayParams(
        _ resource: Resource, kind: String, catalogItem: Resource? = nil, global: Resource? = nil
    ) {
        guard wants("playParams") else { return }
        json.beginObject("playParams")
        json.member("id", context.id(of: resource))
        json.member("kind", kind)
        json.member("isLibrary", true)
        if let catalogItem {
            json.member("reporting", true)
            json.member("catalogId", catalog.id(of: catalogItem))
        }
        if let global { json.member("globalId", catalog.id(of: global)) }
        json.endObject()
    }
}
