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
        case .genres, .stationGenres: attribute("name", Genre.all[resource.number].name(context.language))
        case .stations: stationAttributes(resource)
        case .recordLabels: labelAttributes(resource)
        case .storefronts: storefrontAttributes(Market.all[resource.number])
        case .personalRecommendation: recommendationAttributes(resource)
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
        attribute("copyright", "℗ " + String(date.year) + " " + label + ", exclusively licensed")
        genreNames(artist)
        attribute("releaseDate", date.text)
        attribute("upc", catalog.upc(ofAlbum: album))
        attribute("isMasteredForItunes", album % 3 != 0)
        artwork(resource)
        playParams(catalog.id(of: resource), kind: "album")
        webLink("album", name: name, id: catalog.id(of: resource))
        attribute("recordLabel", label)
        attribute("trackCount", tracks)
        attribute("isCompilation", catalog.edition(ofAlbum: album) == .reissue)
        attribute("isSingle", tracks == 1)
        attribute("name", name)
        if catalog.isExplicit(album: album) { attribute("contentRating", "explicit") }
        attribute("artistName", artistNames(ofAlbum: album))
        if album % 3 == 0 { notes("editorialNotes", resource, sentences: 3 + album % 4) }
        attribute("isComplete", true)
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
        attribute("albumName", catalog.name(ofAlbum: album))
        genreNames(artist)
        attribute("trackNumber", track + 1)
        attribute("releaseDate", catalog.date(ofAlbum: album, in: context.market).text)
        attribute("durationInMillis", duration(ofSong: song))
        attribute("isrc", catalog.isrc(ofSong: song))
        artwork(Resource(.albums, album))
        let composer = (artist + track * 31 + 1) % catalog.artistCount
        attribute("composerName", catalog.name(ofArtist: composer, context.language))
        playParams(id, kind: "song")
        webLink("album", name: name, id: catalog.id(of: Resource(.albums, album)), item: id)
        attribute("discNumber", 1 + track / 100)
        attribute("hasLyrics", song % 5 != 0)
        attribute("isAppleDigitalMaster", album % 3 != 0)
        attribute("name", name)
        previews(ofSong: song)
        attribute("artistName", artistNames(ofAlbum: album))
        if catalog.isExplicit(song: song) { attribute("contentRating", "explicit") }
        extendedAttributes(resource, artist: artist)
    }

    func duration(ofSong song: Int) -> Int { 61_000 + catalog.seed.number(below: 330_000, .duration, song) }

    private mutating func videoAttributes(_ resource: Resource) {
        let video = resource.number
        let artist = catalog.artist(ofVideo: video)
        let id = catalog.id(of: resource)
        let name = catalog.name(ofVideo: video)
        genreNames(artist)
        attribute("durationInMillis", 90_000 + catalog.seed.number(below: 300_000, .duration, video, 1))
        attribute("releaseDate", catalog.date(ofAlbum: Int(catalog.albumStart[artist]), in: context.market).text)
        attribute("isrc", catalog.isrc(ofVideo: video))
        artwork(resource, width: 1920, height: 1080)
        playParams(id, kind: "musicVideo")
        webLink("music-video", name: name, id: id)
        attribute("has4K", video % 4 == 0)
        attribute("hasHDR", video % 9 == 0)
        attribute("name", name)
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
        attribute("artistName", catalog.name(ofArtist: artist, context.language))
        extendedAttributes(resource, artist: artist)
    }

    private mutating func artistAttributes(_ resource: Resource) {
        let name = catalog.name(ofArtist: resource.number, context.language)
        attribute("genreNames", [Genre.all[catalog.genre(ofArtist: resource.number)].name(context.language)])
        attribute("name", name)
        artwork(resource, width: 2400, height: 2400)
        webLink("artist", name: name, id: catalog.id(of: resource))
        if resource.number % 4 == 3 { notes("editorialNotes", resource, sentences: 5) }
        if extensions.contains("editorialVideo") { editorialVideo(resource) }
    }

    /// Attributes that only `extend` brings (APPLE-MUSIC-API 4.3.4).
    private mutating func extendedAttributes(_ resource: Resource, artist: Int) {
        guard !extensions.isEmpty else { return }
        if extensions.contains("artistUrl") {
            let id = catalog.id(of: Resource(.artists, artist))
            attribute("artistUrl", "https://music.apple.com/" + context.market.code + "/artist/" + id)
        }
        if extensions.contains("audioVariants") { attribute("audioVariants", ["lossless", "lossy-stereo"]) }
        if extensions.contains("editorialVideo") { editorialVideo(resource) }
    }

    private mutating func editorialVideo(_ resource: Resource) {
        let url = "https://mvod.itunes.apple.com/itunes-assets/HLSMusic/" + catalog.id(of: resource) + ".m3u8"
        attribute("editorialVideo", ["motionDetailSquare": ["video": url] as JSONMembers])
    }
}
