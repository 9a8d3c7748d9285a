// Names and texts of catalog items, by language where they differ.

extension Catalog {
    private func pick(_ words: [String], _ salt: Salt, _ first: Int, _ second: Int = 0) -> String {
        words[seed.number(below: words.count, salt, first, second)]
    }

    /// An artist's name. Some names differ in Japanese, which makes `l` visible
    /// (APPLE-MUSIC-API 4.3.9).
    func name(ofArtist artist: Int, _ language: Language = .english) -> String {
        revised(firstName(ofArtist: artist, language), of: Resource(.artists, artist))
    }

    private func firstName(ofArtist artist: Int, _ language: Language) -> String {
        let kind = seed.number(below: 40, .name, artist)
        if kind == 0 { return pick(Vocabulary.rareArtists, .secondName, artist) + " " + String(artist) }
        if kind < 4 || (language == .japanese && kind < 10) {
            return pick(Vocabulary.japaneseArtists, .secondName, artist)
        }
        let noun = pick(Vocabulary.nouns, .secondName, artist, 1)
        if kind < 22 {
            return pick(Vocabulary.firstNames, .secondName, artist, 2) + " "
                + pick(Vocabulary.lastNames, .secondName, artist, 3)
        }
        let adjective = pick(Vocabulary.adjectives, .secondName, artist, 4)
        return kind < 32 ? "The " + adjective + " " + noun + "s" : adjective + " " + noun
    }

    /// An album's name; a clean edition has its original's name, a reissue that of the first album.
    func name(ofAlbum album: Int) -> String {
        if edition(ofAlbum: album) == .clean { return name(ofAlbum: album - 1) }
        return revised(firstName(ofAlbum: album), of: Resource(.albums, album))
    }

    private func firstName(ofAlbum album: Int) -> String {
        switch edition(ofAlbum: album) {
        case .reissue:
            let first = Int(albumStart[artist(ofAlbum: album)])
            return title(1, first) + " (" + pick(Vocabulary.versions, .edition, album) + ")"
        case .original, .clean:
            let tracks = firstTrackCount(ofAlbum: album)
            if tracks == 1 { return name(ofSongOn: album, track: 0) + " - Single" }
            return tracks < 8 ? title(1, album) + " - EP" : title(1, album)
        }
    }

    /// A song's name; the recordings of one ISRC share it.
    func name(ofSong song: Int) -> String {
        let (album, track) = (song / Self.songSpan, song % Self.songSpan - 1)
        return name(ofSongOn: recordingAlbum(album: album, track: track), track: track)
    }

    private func name(ofSongOn album: Int, track: Int) -> String {
        revised(firstName(ofSongOn: album, track: track), of: song(album: album, track: track))
    }

    private func firstName(ofSongOn album: Int, track: Int) -> String {
        let number = album * Self.songSpan + track
        let kind = seed.number(below: 24, .name, number, 7)
        if kind == 0 { return pick(Vocabulary.japaneseTitles, .name, number, 8) }
        if kind == 1 { return "Say \"" + pick(Vocabulary.nouns, .name, number, 8) + "\"" }
        if kind == 2 {
            let guest = seed.number(below: artistCount, .name, number, 9)
            return title(2, number) + " (feat. " + name(ofArtist: guest) + ")"
        }
        if kind < 9 {
            return pick(Vocabulary.verbs, .name, number, 10) + " the " + pick(Vocabulary.nouns, .name, number, 8)
        }
        return title(2, number)
    }

    private func title(_ family: Int, _ number: Int) -> String {
        let noun = pick(Vocabulary.nouns, .name, number, family * 16)
        switch seed.number(below: 10, .name, number, family * 16 + 1) {
        case 0: return noun
        case 1: return noun + " & " + pick(Vocabulary.nouns, .name, number, family * 16 + 2)
        case 2: return noun + " \u{1F30A}"
        default: return pick(Vocabulary.adjectives, .name, number, family * 16 + 3) + " " + noun
        }
    }

    func name(ofVideo video: Int) -> String {
        let artist = artist(ofVideo: video)
        return name(ofSongOn: Int(albumStart[artist]), track: video - Int(videoStart[artist]))
    }

    func name(ofPlaylist playlist: Int, _ language: Language) -> String {
        revised(firstName(ofPlaylist: playlist, language), of: Resource(.playlists, playlist))
    }

    private func firstName(ofPlaylist playlist: Int, _ language: Language) -> String {
        if let artist = artist(ofPlaylist: playlist) { return name(ofArtist: artist, language) + " Essentials" }
        if let market = chartMarket(ofPlaylist: playlist) { return "Top 100: " + market.name }
        return pick(Vocabulary.moods, .name, playlist, 90) + " "
            + Genre.all[1 + playlist % (Genre.all.count - 1)].name(language)
    }

    func name(ofCurator curator: Resource) -> String {
        switch curator.type {
        case .appleCurators: "Apple Music " + Genre.all[1 + curator.number % (Genre.all.count - 1)].name(.english)
        default: pick(Vocabulary.labels, .name, curator.number, 91) + " Selects " + String(curator.number)
        }
    }

    func name(ofActivity activity: Int) -> String { Vocabulary.moods[activity % Vocabulary.moods.count] }

    func name(ofStation station: Int, _ language: Language) -> String {
        if station < 3 { return ["Apple Music 1", "Apple Music Hits", "Apple Music Country"][station] }
        if station < 20 { return pick(Vocabulary.moods, .station, station) + " Radio" }
        return station - 20 < artistCount ? name(ofArtist: station - 20, language) + " Station" : "Station"
    }

    func name(ofLabel label: Int) -> String {
        pick(Vocabulary.labels, .label, label) + ["", " Records", " Music", " Recordings"][label % 4]
    }

    /// The name of a resource; for a library item that of its catalog item.
    func name(of resource: Resource, _ language: Language) -> String {
        let number = resource.number
        return switch resource.type {
        case .activities: name(ofActivity: number)
        case .albums, .libraryAlbums: name(ofAlbum: number)
        case .artists, .libraryArtists: name(ofArtist: number, language)
        case .curators, .appleCurators: name(ofCurator: resource)
        case .genres, .stationGenres: Genre.all[number].name(language)
        case .musicVideos, .libraryMusicVideos: name(ofVideo: number)
        case .playlists: name(ofPlaylist: number, language)
        case .recordLabels: name(ofLabel: number)
        case .songs, .librarySongs: name(ofSong: number)
        case .stations: name(ofStation: number, language)
        case .storefronts: Market.all[number].name
        case .libraryPlaylists, .libraryPlaylistFolders, .personalRecommendation: ""
        }
    }

    /// Editorial notes: one sentence, and several with HTML and line breaks as in Apple's.
    /// Rewritten whenever the resource is renamed.
    func notes(_ resource: Resource, _ language: Language, sentences: Int) -> (short: String, standard: String) {
        let number = resource.distinctNumber
        let rewrite = 32 * renamings(of: resource)
        let short = pick(Vocabulary.openings[language.rawValue], .notes, number, rewrite)
        var standard = short
        for place in 0..<sentences {
            standard += place % 3 == 1 ? "\n" : " "
            standard += pick(Vocabulary.continuations[language.rawValue], .notes, number, rewrite + place + 1)
        }
        return (short, "<i>" + standard + "</i>")
    }
}
