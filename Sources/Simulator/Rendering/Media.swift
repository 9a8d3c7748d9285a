import Text

// The attributes that are objects or links: artwork, previews, play parameters, notes.

extension Renderer {
    private static let colours = ["textColor1", "textColor2", "textColor3", "textColor4"]

    /// Artwork: the URL is a template with literal `{w}x{h}` (APPLE-MUSIC-API 5.2.7).
    mutating func artwork(of resource: Resource) {
        let (width, height) =
            switch resource.type {
            case .albums, .songs: (3000, 3000)
            case .artists: (2400, 2400)
            case .libraryAlbums, .librarySongs, .libraryMusicVideos: (1200, 1200)
            case .musicVideos: (1920, 1080)
            case .stations: (4320, 1080)
            default: (1080, 1080)
            }
        let shown =
            switch resource.type {
            case .songs, .libraryAlbums, .librarySongs: Resource(.albums, catalog.album(of: resource))
            case .libraryMusicVideos: Resource(.musicVideos, resource.number)
            default: resource
            }
        json.key("artwork")
        artworkObject(shown, width: width, height: height, hasColours: !resource.type.isLibrary)
    }

    mutating func artworkObject(_ resource: Resource, width: Int, height: Int, hasColours: Bool) {
        let bits = catalog.seed.bits(.artwork, resource.distinctNumber)
        json.beginObject()
        json.member("width", .integer(width))
        json.member("height", .integer(height))
        let host = "https://is\(1 + bits % 5)-ssl.mzstatic.com/image/thumb/Music1\(12 + bits % 15)"
        json.text("url") { $0.appendAssetPath(host + "/v4/", bits, "/{w}x{h}bb.jpg") }
        if hasColours { colours(Int(bits >> 8)) }
        json.endObject()
    }

    private mutating func colours(_ number: Int) {
        let bits = catalog.seed.bits(.colour, number)
        json.text("bgColor") { $0.appendHexadecimal(bits, digits: 6) }
        for (place, name) in Self.colours.enumerated() {
            json.text(name) { $0.appendHexadecimal(bits >> UInt64(7 * (place + 1)), digits: 6) }
        }
    }

    /// Writes one preview file; that of a video has artwork.
    mutating func previews(of resource: Resource) {
        json.beginArray("previews")
        json.beginObject()
        if resource.type == .songs {
            let bits = catalog.seed.bits(.preview, resource.number)
            let folder = "https://audio-ssl.itunes.apple.com/itunes-assets/AudioPreview1\(12 + bits % 15)"
            json.text("url") { $0.appendAssetPath(folder + "/v4/", bits, ".plus.aac.p.m4a") }
        } else {
            let id = catalog.id(of: resource)
            json.member("url", "https://video-ssl.itunes.apple.com/itunes-assets/Video126/v4/" + id + ".p.m4v")
            json.member("hlsUrl", "https://play.itunes.apple.com/WebObjects/MZPlay.woa/hls/playlist.m3u8?a=" + id)
            json.key("artwork")
            artworkObject(resource, width: 3840, height: 2160, hasColours: true)
        }
        json.endObject()
        json.endArray()
    }

    mutating func playParams(of resource: Resource) {
        let (type, id) = (resource.type, context.id(of: resource))
        if type == .stations { return stationPlayParams(id, isLive: resource.number < 3) }
        json.beginObject("playParams")
        json.member("id", id)
        switch type {
        case .songs, .librarySongs: json.member("kind", "song")
        case .musicVideos, .libraryMusicVideos: json.member("kind", "musicVideo")
        case .playlists, .libraryPlaylists: json.member("kind", "playlist")
        default: json.member("kind", "album")
        }
        if type == .playlists { versionHash(ofPlaylist: resource.number) }
        if type.isLibrary { json.member("isLibrary", true) }
        if type == .librarySongs || type == .libraryMusicVideos {
            json.member("reporting", true)
            let item = Resource(type == .librarySongs ? .songs : .musicVideos, resource.number)
            json.member("catalogId", catalog.id(of: item))
        }
        if type == .libraryPlaylists, let playlist = context.user?.playlist(resource.number)?.catalogPlaylist {
            json.member("globalId", catalog.id(of: Resource(.playlists, playlist)))
        }
        json.endObject()
    }

    private mutating func versionHash(ofPlaylist playlist: Int) {
        let (seed, changes) = (catalog.seed, catalog.modifications(ofPlaylist: playlist))
        json.text("versionHash") { bytes in
            for part in 0..<4 {
                bytes.appendHexadecimal(seed.bits(.playlist, playlist, -1 - part - 4 * changes), digits: 16)
            }
        }
    }

    mutating func stationPlayParams(_ id: String, isLive: Bool) {
        let hash = "CgkIBRoF" + String(id.dropFirst(3).prefix(8)) + "EAQ"
        json.member(
            "playParams",
            [
                "id": .string(id), "kind": "radioStation", "format": isLive ? "stream" : "tracks",
                "stationHash": .string(hash), "hasDrm": .bool(isLive), "mediaType": 0,
            ])
    }

    private static let pageKinds: [SimulatedType: String] = [
        .activities: "activity", .albums: "album", .appleCurators: "curator", .artists: "artist", .curators: "curator",
        .musicVideos: "music-video", .playlists: "playlist", .recordLabels: "label", .songs: "album",
        .stations: "station",
    ]

    /// The page on music.apple.com: that of a song is the page of its album.
    mutating func webLink(to resource: Resource) {
        let isSong = resource.type == .songs
        let page = isSong ? Resource(.albums, catalog.album(of: resource)) : resource
        webLink(
            Self.pageKinds[resource.type] ?? "", name: name(of: resource), id: catalog.id(of: page),
            item: isSong ? catalog.id(of: resource) : nil)
    }

    mutating func webLink(_ kind: String, name: String, id: String, item: String? = nil) {
        let market = context.market.code
        json.text("url") { bytes in
            bytes.append(text: "https://music.apple.com/" + market + "/" + kind + "/")
            bytes.appendSlug(name)
            bytes.append(text: "/" + id)
            if let item { bytes.append(text: "?i=" + item) }
        }
    }

    /// Texts of editors, which some albums, artists and stations do not have.
    mutating func notes(_ name: String, of resource: Resource) {
        let number = resource.number
        let sentences: Int
        switch resource.type {
        case .albums where number % 3 == 0: sentences = 3 + number % 4
        case .artists where number % 4 == 3: sentences = 5
        case .recordLabels: sentences = 3
        case .curators, .appleCurators, .playlists: sentences = 2
        case .stations where number < 20:
            let title = self.name(of: resource)
            let short = catalog.notes(resource, context.language, sentences: 0).short
            return json.member(name, ["name": .string(title), "short": .string(short), "tagline": .string(title)])
        case .libraryPlaylists:
            if let text = context.user?.playlist(number)?.description { json.member(name, ["standard": .string(text)]) }
            return
        default: return
        }
        let notes = catalog.notes(resource, context.language, sentences: sentences)
        json.member(name, ["standard": .string(notes.standard), "short": .string(notes.short)])
    }
}

extension [UInt8] {
    /// Appends `aa/bb/cc/aabbccdd-eeee-ffff-0000-111111111111/file` between `start` and `end`, as
    /// media servers name their files.
    fileprivate mutating func appendAssetPath(_ start: String, _ bits: UInt64, _ end: String) {
        let other = SplitMix64.mixed(bits)
        append(text: start)
        for shift in [56, 48, 40] as [UInt64] {
            appendHexadecimal(bits >> shift, digits: 2)
            append(0x2F)
        }
        appendHexadecimal(bits >> 32, digits: 8)
        for shift in [48, 32, 16] as [UInt64] {
            append(0x2D)
            appendHexadecimal(other >> shift, digits: 4)
        }
        append(0x2D)
        appendHexadecimal(other ^ bits, digits: 12)
        append(0x2F)
        appendHexadecimal(bits, digits: 10)
        append(text: end)
    }

    /// Lower-case ASCII letters and digits with single hyphens between words; never empty.
    mutating func appendSlug(_ name: String) {
        let start = count
        for byte in name.utf8 {
            switch byte {
            case 0x61...0x7A, 0x30...0x39: append(byte)
            case 0x41...0x5A: append(byte | 0x20)
            case 0x20, 0x2D: if count > start, self[count - 1] != 0x2D { append(0x2D) }
            default: continue
            }
        }
        if count == start { append(0x78) }
        if self[count - 1] == 0x2D { removeLast() }
        if count == start { append(0x78) }
    }
}
