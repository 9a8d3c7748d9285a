// The attributes of catalog resources, by type, with the names of the captures
// (APPLE-MUSIC-API 5.2.5).

import Text

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

    // MARK: Around the music

    private mutating func playlistAttributes(_ resource: Resource) {
        let playlist = resource.number
        let seed = catalog.seed
        let id = catalog.id(of: resource)
        let name = catalog.name(ofPlaylist: playlist, context.language)
        artwork(resource, width: 1080, height: 1080)
        attribute("isChart", catalog.isChart(playlist: playlist))
        webLink("playlist", name: name, id: id)
        let changes = catalog.modifications(ofPlaylist: playlist)
        let modifiedAt = 1_650_000_000 + Int64(seed.number(below: 90_000_000, .date, playlist, 5) + 86_400 * changes)
        attribute("lastModifiedDate", LogTime.rfc3339(modifiedAt))
        attribute("name", name)
        attribute("playlistType", catalog.curator(ofPlaylist: playlist).type == .curators ? "external" : "editorial")
        attribute("curatorName", catalog.name(ofCurator: catalog.curator(ofPlaylist: playlist)))
        if wants("playParams") {
            json.beginObject("playParams")
            json.member("id", id)
            json.member("kind", "playlist")
            json.text("versionHash") { bytes in
                for part in 0..<4 {
                    bytes.appendHexadecimal(seed.bits(.playlist, playlist, -1 - part - 4 * changes), digits: 16)
                }
            }
            json.endObject()
        }
        notes("description", resource, sentences: 2)
    }

    private mutating func curatorAttributes(_ resource: Resource) {
        let id = catalog.id(of: resource)
        let isActivity = resource.type == .activities
        let name = isActivity ? catalog.name(ofActivity: resource.number) : catalog.name(ofCurator: resource)
        if !isActivity { notes("editorialNotes", resource, sentences: 2) }
        artwork(resource, width: 1080, height: 1080)
        attribute("name", name)
        if resource.type == .appleCurators {
            attribute("shortName", String(name.dropFirst("Apple Music ".count)))
            attribute("kind", (3..<20).contains(resource.number) ? "Show" : "Genre")
        }
        webLink(isActivity ? "activity" : "curator", name: name, id: id)
    }

    private mutating func stationAttributes(_ resource: Resource) {
        let station = resource.number
        let id = catalog.id(of: resource)
        let name = catalog.name(ofStation: station, context.language)
        artwork(resource, width: 4320, height: 1080)
        attribute("mediaKind", "audio")
        attribute("isLive", station < 3)
        attribute("name", name)
        stationPlayParams(id, isLive: station < 3)
        if station < 3 { attribute("supportedDrms", ["fairplay", "playready", "widevine"]) }
        if wants("editorialNotes"), station < 20 {
            let short = catalog.notes(resource, context.language, sentences: 0).short
            json.member("editorialNotes", ["name": name, "short": short, "tagline": name])
        }
        webLink("station", name: name, id: id)
    }

    private mutating func stationPlayParams(_ id: String, isLive: Bool) {
        let hash = "CgkIBRoF" + String(id.dropFirst(3).prefix(8)) + "EAQ"
        attribute(
            "playParams",
            [
                "id": id, "kind": "radioStation", "format": isLive ? "stream" : "tracks", "stationHash": hash,
                "hasDrm": isLive, "mediaType": 0,
            ])
    }

    /// The station that exists for one user only (`filter[identity]=personal`).
    mutating func personalStation(_ user: UserLibrary) {
        let id = user.stationID(catalog)
        json.beginObject()
        json.member("id", id)
        json.member("type", "stations")
        link("href", "/v1/catalog/" + context.market.code + "/stations/" + id)
        json.beginObject("attributes")
        artwork(Resource(.stations, user.key & 0xFFFF), width: 2400, height: 2400, hasColours: false)
        json.member("name", "My Station")
        json.member("mediaKind", "audio")
        stationPlayParams(id, isLive: false)
        webLink("station", name: "my station", id: id)
        json.member("isLive", false)
        json.endObject()
        json.endObject()
    }

    private mutating func labelAttributes(_ resource: Resource) {
        let name = catalog.name(ofLabel: resource.number)
        artwork(resource, width: 1080, height: 1080)
        notes("description", resource, sentences: 3)
        attribute("name", name)
        webLink("label", name: name, id: catalog.id(of: resource))
    }

    private mutating func storefrontAttributes(_ market: Market) {
        attribute("supportedLanguageTags", market.tags)
        attribute("defaultLanguageTag", market.defaultTag)
        attribute("name", market.name)
        attribute("explicitContentPolicy", market.explicitPolicy)
    }

    private mutating func recommendationAttributes(_ resource: Resource) {
        attribute("nextUpdateDate", "2026-12-01T15:59:59Z")
        attribute("isGroupRecommendation", false)
        attribute("title", ["stringForDisplay": resource.number % 2 == 0 ? "Made for You" : "Recently Released"])
        attribute("resourceTypes", [resource.number % 2 == 0 ? "playlists" : "albums"])
        attribute("kind", "music-recommendations")
    }
}
