// The attributes of catalog resources, by type, with the names of the captures
// (APPLE-MUSIC-API 5.2.5).

extension Renderer {
    mutating func attributes(of resource: Resource) {
        switch resource.type {
        case .albums: albumAttributes(resource)
        case .artists: artistAttributes(resource)
        case .songs: songAttributes(resource)
        case .musicVideos: videoAttributes(resource)
        case .playlists: playlistAttributes(resource)
        case .curators, .appleCurators, .activities: curatorAttributes(resource)
        case .genres, .stationGenres: text("name", Genre.all[resource.number].name(context.language))
        case .stations: stationAttributes(resource)
        case .recordLabels: labelAttributes(resource)
        case .storefronts: storefrontAttributes(Market.all[resource.number])
        case .recommendations: recommendationAttributes(resource)
        default: libraryAttributes(resource)
        }
    }

    private mutating func albumAttributes(_ resource: Resource) {
        let album = resource.number
        let artist = catalog.artist(ofAlbum: album)
        let label = catalog.name(ofLabel: album % catalog.labelCount)
        let date = catalog.date(ofAlbum: album, in: context.market)
        let name = catalog.name(ofAlbum: album)
        let tracks = catalog.trackCount(ofAlbum: album)
        text("copyright", "℗ " + String(date.year) + " " + label + ", exclusively licensed")
        genreNames(artist)
        text("releaseDate", date.text)
        text("upc", catalog.upc(ofAlbum: album))
        flag("isMasteredForItunes", album % 3 != 0)
        artwork(resource)
        playParams(catalog.id(of: resource), kind: "album")
        webLink("album", name: name, id: catalog.id(of: resource))
        text("recordLabel", label)
        number("trackCount", tracks)
        flag("isCompilation", catalog.edition(ofAlbum: album) == .reissue)
        flag("isSingle", tracks == 1)
        text("name", name)
        if catalog.isExplicit(album: album) { text("contentRating", "explicit") }
        text("artistName", artistNames(ofAlbum: album))
        if album % 3 == 0 { notes("editorialNotes", resource, sentences: 3 + album % 4) }
        flag("isComplete", true)
        extendedAttributes(resource, artist: artist)
    }

    private func artistNames(ofAlbum album: Int) -> String {
        let first = catalog.name(ofArtist: catalog.artist(ofAlbum: album), context.language)
        guard let guest = catalog.guest(ofAlbum: album) else { return first }
        return first + " & " + catalog.name(ofArtist: guest, context.language)
    }

    private mutating func songAttributes(_ resource: Resource) {
        let song = resource.number
        let (album, track) = (song / Catalog.songSpan, song % Catalog.songSpan - 1)
        let artist = catalog.artist(ofAlbum: album)
        let name = catalog.name(ofSong: song)
        let id = catalog.id(of: resource)
        text("albumName", catalog.name(ofAlbum: album))
        genreNames(artist)
        number("trackNumber", track + 1)
        text("releaseDate", catalog.date(ofAlbum: album, in: context.market).text)
        number("durationInMillis", duration(ofSong: song))
        text("isrc", catalog.isrc(ofSong: song))
        artwork(Resource(.albums, album))
        text("composerName", catalog.name(ofArtist: (artist + track * 31 + 1) % catalog.artistCount, context.language))
        playParams(id, kind: "song")
        webLink("album", name: name, id: catalog.id(of: Resource(.albums, album)), item: id)
        number("discNumber", 1 + track / 100)
        flag("hasLyrics", song % 5 != 0)
        flag("isAppleDigitalMaster", album % 3 != 0)
        text("name", name)
        previews(ofSong: song)
        text("artistName", artistNames(ofAlbum: album))
        if catalog.isExplicit(song: song) { text("contentRating", "explicit") }
        extendedAttributes(resource, artist: artist)
    }

    func duration(ofSong song: Int) -> Int { 61_000 + catalog.seed.number(below: 330_000, .duration, song) }

    private mutating func videoAttributes(_ resource: Resource) {
        let video = resource.number
        let artist = catalog.artist(ofVideo: video)
        let id = catalog.id(of: resource)
        let name = catalog.name(ofVideo: video)
        genreNames(artist)
        number("durationInMillis", 90_000 + catalog.seed.number(below: 300_000, .duration, video, 1))
        text("releaseDate", catalog.date(ofAlbum: Int(catalog.albumStart[artist]), in: context.market).text)
        text("isrc", catalog.isrc(ofVideo: video))
        artwork(resource, width: 1920, height: 1080)
        playParams(id, kind: "musicVideo")
        webLink("music-video", name: name, id: id)
        flag("has4K", video % 4 == 0)
        flag("hasHDR", video % 9 == 0)
        text("name", name)
        if wants("previews") {
            json.beginArray("previews")
            json.beginObject()
            json.member("url", "https://video-ssl.itunes.apple.com/itunes-assets/Video126/v4/" + id + ".p.m4v")
            json.member("hlsUrl", "https://play.itunes.apple.com/WebObjects/MZPlay.woa/hls/playlist.m3u8?a=" + id)
            json.key("artwork")
            artworkObject(resource, width: 3840, height: 2160, hasColours: true)
            json.endObject()
            json.endArray()
        }
        text("artistName", catalog.name(ofArtist: artist, context.language))
        extendedAttributes(resource, artist: artist)
    }

    private mutating func artistAttributes(_ resource: Resource) {
        let name = catalog.name(ofArtist: resource.number, context.language)
        texts("genreNames", [Genre.all[catalog.genre(ofArtist: resource.number)].name(context.language)])
        text("name", name)
        artwork(resource, width: 2400, height: 2400)
        webLink("artist", name: name, id: catalog.id(of: resource))
        if resource.number % 4 == 3 { notes("editorialNotes", resource, sentences: 5) }
        if extensions.contains("editorialVideo") { editorialVideo(resource) }
    }

    /// Attributes that only `extend` brings (APPLE-MUSIC-API 4.3.4).
    private mutating func extendedAttributes(_ resource: Resource, artist: Int) {
        guard !extensions.isEmpty else { return }
        if extensions.contains("artistUrl"), wants("artistUrl") {
            json.member(
                "artistUrl",
                "https://music.apple.com/" + context.market.code + "/artist/"
                    + catalog.id(of: Resource(.artists, artist)))
        }
        if extensions.contains("audioVariants") { texts("audioVariants", ["lossless", "lossy-stereo"]) }
        if extensions.contains("editorialVideo") { editorialVideo(resource) }
    }

    private mutating func editorialVideo(_ resource: Resource) {
        guard wants("editorialVideo") else { return }
        json.beginObject("editorialVideo")
        json.beginObject("motionDetailSquare")
        json.member(
            "video", "https://mvod.itunes.apple.com/itunes-assets/HLSMusic/" + catalog.id(of: resource) + ".m3u8")
        json.endObject()
        json.endObject()
    }
}
