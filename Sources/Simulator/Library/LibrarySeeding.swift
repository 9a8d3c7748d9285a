import Text

// The first state of a user's library, drawn from the user's name. Three names have a fixed
// meaning, for rare cases: `user-empty` owns nothing, `user-unsubscribed` has no subscription,
// `user-failing` meets a failing library service.

extension UserLibrary {
    /// The name in a Music-User-Token; nil for tokens that are not valid (any that does not begin
    /// with `user-`).
    static func name(ofToken token: String) -> String? {
        token.hasPrefix("user-") && token.utf8.count > 5 && token.utf8.count <= 256 ? token : nil
    }

    init(name: String, _ catalog: Catalog) {
        self.name = name
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        key = Int(truncatingIfNeeded: SplitMix64.mixed(hash ^ catalog.seed.value) >> 2)
        let code = Market.home[catalog.seed.number(below: Market.home.count, .user, key)]
        market = Market(code: code) ?? Market.all[0]
        hasSubscription = name != "user-unsubscribed"
        if name != "user-empty" { seedContents(catalog) }
    }

    private mutating func seedContents(_ catalog: Catalog) {
        let seed = catalog.seed
        for place in 0..<(60 + seed.number(below: 80, .library, key, 1)) {
            add(album: seed.number(below: catalog.albumCount, .library, key, 10 + place), moment(place), catalog)
        }
        for place in 0..<8 where catalog.videoCount > 0 {
            let video = seed.number(below: catalog.videoCount, .library, key, 5000 + place)
            if !musicVideos.contains(video) { musicVideos.append(video) }
        }
        folders.append(LibraryFolder(serial: takeSerial(), name: "Chill", parent: Self.rootFolder, addedAt: moment(1)))
        for place in 0..<40 { seedPlaylist(place, catalog) }
        for entry in albums.prefix(5) { ratings["albums/" + catalog.id(of: Resource(.albums, entry.album))] = 1 }
        for entry in albums.dropFirst(5).prefix(3) {
            ratings["songs/" + catalog.id(of: catalog.song(album: entry.album, track: 0))] = -1
        }
    }

    /// The first playlist is empty, the second long, every third one comes from the catalog.
    private mutating func seedPlaylist(_ place: Int, _ catalog: Catalog) {
        let seed = catalog.seed
        let serial = takeSerial()
        if place % 3 == 2 {
            let number = seed.number(below: catalog.playlistCount, .library, key, 6000 + place)
            playlists.append(
                LibraryPlaylist(serial: serial, catalogPlaylist: number, addedAt: moment(place), catalog))
            return
        }
        let count = place == 0 ? 0 : place == 1 ? 230 : 5 + seed.number(below: 40, .library, key, 7000 + place)
        let tracks = (0..<count).map { track in
            let album = seed.number(below: catalog.albumCount, .library, key, 8000 + place * 300 + track)
            return catalog.song(album: album, track: 0).number
        }
        let mood = Vocabulary.moods[place % Vocabulary.moods.count]
        playlists.append(
            LibraryPlaylist(
                serial: serial, name: mood + " mit Ümläuten " + String(place), description: mood, tracks: tracks,
                addedAt: moment(place), catalogPlaylist: nil, folder: place % 7 == 3 ? 1 : Self.rootFolder))
    }

    private func moment(_ place: Int) -> Int64 { 1_700_000_000 - Int64(place) * 86_411 - Int64(key & 0xFFFF) }

    mutating func takeSerial() -> Int {
        defer { nextSerial += 1 }
        return nextSerial
    }

    /// Adds a whole album, as far as the user's storefront has it.
    mutating func add(album: Int, _ now: Int64, _ catalog: Catalog) {
        let tracks = (0..<catalog.trackCount(ofAlbum: album)).filter {
            catalog.isAvailable(catalog.song(album: album, track: $0), in: market)
        }
        guard !tracks.isEmpty else { return }
        if let index = albums.firstIndex(where: { $0.album == album }) {
            albums[index].tracks = tracks
        } else {
            albums.insert(LibraryAlbum(album: album, tracks: tracks, addedAt: now), at: 0)
        }
    }

    /// Adds one song; its album appears in the library with that track alone.
    mutating func add(song: Int, _ now: Int64) {
        let (album, track) = (song / Catalog.songSpan, song % Catalog.songSpan - 1)
        guard let index = albums.firstIndex(where: { $0.album == album }) else {
            albums.insert(LibraryAlbum(album: album, tracks: [track], addedAt: now), at: 0)
            return
        }
        if !albums[index].tracks.contains(track) {
            albums[index].tracks.append(track)
            albums[index].tracks.sort()
        }
    }

    mutating func add(_ resource: Resource, _ now: Int64, _ catalog: Catalog) {
        switch resource.type {
        case .albums: add(album: resource.number, now, catalog)
        case .songs: add(song: resource.number, now)
        case .musicVideos: if !musicVideos.contains(resource.number) { musicVideos.insert(resource.number, at: 0) }
        case .playlists:
            if playlists.contains(where: { $0.catalogPlaylist == resource.number }) { return }
            let playlist = LibraryPlaylist(
                serial: takeSerial(), catalogPlaylist: resource.number, addedAt: now, catalog)
            playlists.insert(playlist, at: 0)
        default: return
        }
    }
}
