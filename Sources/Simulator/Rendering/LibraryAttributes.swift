// The attributes of library resources. Library songs have no isrc (APPLE-MUSIC-API 5.2.6).

import Text

extension Renderer {
    mutating func libraryAttributes(_ resource: Resource) {
        guard let user = context.user else { return }
        switch resource.type {
        case .libraryAlbums: libraryAlbum(resource, user)
        case .librarySongs: librarySong(resource)
        case .libraryMusicVideos: libraryVideo(resource)
        case .libraryArtists: text("name", catalog.name(ofArtist: resource.number, context.language))
        case .libraryPlaylists: libraryPlaylist(resource, user)
        case .libraryFolders:
            text("name", user.folder(resource.number)?.name ?? "")
            if let folder = user.folder(resource.number) { text("dateAdded", LogTime.rfc3339(folder.addedAt)) }
        default: return
        }
    }

    private mutating func libraryAlbum(_ resource: Resource, _ user: UserLibrary) {
        let album = resource.number
        let artist = catalog.artist(ofAlbum: album)
        number("trackCount", user.entry(ofAlbum: album)?.tracks.count ?? 0)
        texts("genreNames", [Genre.all[catalog.genre(ofArtist: artist)].name(context.language)])
        text("releaseDate", catalog.date(ofAlbum: album, in: context.market).text)
        text("name", catalog.name(ofAlbum: album))
        text("artistName", catalog.name(ofArtist: artist, context.language))
        artwork(Resource(.albums, album), width: 1200, height: 1200, hasColours: false)
        libraryPlayParams(resource, kind: "album")
        if let entry = user.entry(ofAlbum: album) { text("dateAdded", LogTime.rfc3339(entry.addedAt)) }
    }

    private mutating func librarySong(_ resource: Resource) {
        let song = resource.number
        let (album, track) = (song / Catalog.songSpan, song % Catalog.songSpan - 1)
        let artist = catalog.artist(ofAlbum: album)
        text("albumName", catalog.name(ofAlbum: album))
        number("discNumber", 1 + track / 100)
        texts("genreNames", [Genre.all[catalog.genre(ofArtist: artist)].name(context.language)])
        number("trackNumber", track + 1)
        flag("hasLyrics", song % 5 != 0)
        text("releaseDate", catalog.date(ofAlbum: album, in: context.market).text)
        number("durationInMillis", duration(ofSong: song))
        text("name", catalog.name(ofSong: song))
        text("artistName", catalog.name(ofArtist: artist, context.language))
        artwork(Resource(.albums, album), width: 1200, height: 1200, hasColours: false)
        libraryPlayParams(resource, kind: "song", catalogItem: Resource(.songs, song))
        if catalog.isExplicit(song: song) { text("contentRating", "explicit") }
    }

    private mutating func libraryVideo(_ resource: Resource) {
        let artist = catalog.artist(ofVideo: resource.number)
        text("name", catalog.name(ofVideo: resource.number))
        number("trackNumber", 0)
        libraryPlayParams(resource, kind: "musicVideo", catalogItem: Resource(.musicVideos, resource.number))
        artwork(Resource(.musicVideos, resource.number), width: 1200, height: 1200, hasColours: false)
        text("artistName", catalog.name(ofArtist: artist, context.language))
        number("durationInMillis", 90_000 + catalog.seed.number(below: 300_000, .duration, resource.number, 1))
        texts("genreNames", [Genre.all[catalog.genre(ofArtist: artist)].name(context.language)])
    }

    private mutating func libraryPlaylist(_ resource: Resource, _ user: UserLibrary) {
        guard let playlist = user.playlist(resource.number) else { return }
        flag("canEdit", playlist.catalogPlaylist == nil)
        text("name", playlist.name)
        if let description = playlist.description, wants("description") {
            json.beginObject("description")
            json.member("standard", description)
            json.endObject()
        }
        text("dateAdded", LogTime.rfc3339(playlist.addedAt))
        flag("isPublic", false)
        flag("hasCatalog", playlist.catalogPlaylist != nil)
        libraryPlayParams(resource, kind: "playlist", global: playlist.catalogPlaylist.map { Resource(.playlists, $0) })
    }

    private mutating func libraryPlayParams(
        _ resource: Resource, kind: StaticString, catalogItem: Resource? = nil, global: Resource? = nil
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
