import Text

// What users do on the pages of an app: artists, albums, playlists, charts.

extension SessionScript {
    /// An artist's page, then some albums of it.
    mutating func artistPage(_ id: String, albums mostAlbums: Int = 3) {
        var albums: [ObservedAnswer.Item] = []
        switch app {
        case .player:
            // The newer version shows the head of the page at once and fetches the shelf behind it.
            let artist = ask("artists/\(id)", isNewVersion ? [] : [("include", "albums")])
            albums = artist.related["albums"]?.items ?? []
            if isNewVersion { albums = ask("artists/\(id)/albums", alongside: true).items }
            if chance(20) { ask("artists/\(id)/view/top-songs", alongside: true) }
            if let next = artist.related["albums"]?.next, chance(40) { albums += follow(next).items }
        case .web:
            ask("artists/\(id)")
            albums = ask("artists/\(id)/albums", [("limit", "50"), ("offset", "0")]).items
        case .tagger:
            albums = ask("artists/\(id)/albums", [("limit", chance(50) ? "100" : "25")]).items
        }
        think(1500...8000)
        for _ in 0..<count(1...mostAlbums) {
            if let album = pool.choice(albums, &random) { albumPage(album.id) }
        }
    }

    /// An album's page; some play it.
    mutating func albumPage(_ id: String) {
        let album: ObservedAnswer
        switch app {
        case .player: album = ask("albums/\(id)", chance(60) ? [("include", set("artists", "genres"))] : [])
        case .web:
            let extended = chance(25) ? [("extend", "editorialVideo")] : []
            album = ask("albums/\(id)", [("include", "artists")] + extended)
        case .tagger: album = ask("albums", [("ids", id)])
        }
        let tracks = album.related["tracks"]?.items ?? []
        think(1000...6000)
        if !tracks.isEmpty, chance(45) { play(tracks.map(\.id)) }
        if let artist = album.related["artists"]?.items.first, app != .tagger, chance(30) {
            ask("artists/\(artist.id)")
            think(1500...6000)
        }
    }

    /// The queue from a track on, and what is playing.
    mutating func play(_ tracks: [String]) {
        let first = chance(50) ? 0 : count(0...(tracks.count - 1))
        let queue = Array(tracks[first...].prefix(app == .player ? 10 : 25))
        switch app {
        case .player:
            if chance(60) { lookUp("songs", queue, []) }
            for id in queue.prefix(count(1...2)) {
                think(4000...30000)
                ask("songs/\(id)")
            }
        case .web:
            lookUp("songs", queue, [])
            think(4000...30000)
            ask("songs/\(queue[0])", [("include", "albums,artists")])
        case .tagger: lookUp("songs", tracks, chance(20) ? [("extend", "artistUrl")] : [])
        }
    }

    /// By `ids`, 25 at a time.
    mutating func lookUp(_ type: String, _ ids: [String], _ parameters: [(name: String, value: String)]) {
        for start in stride(from: 0, to: ids.count, by: 25) {
            let some = ids[start..<min(start + 25, ids.count)]
            ask(type, [("ids", some.joined(separator: ","))] + parameters, alongside: start > 0)
        }
    }

    /// The charts, then some of what is on them.
    mutating func chartsPage() {
        let genre = chance(35) ? [("genre", pick(["14", "20", "21", "18"]))] : []
        let shown: [ObservedAnswer.Item]
        switch app {
        case .player: shown = ask("charts", [("types", "albums,songs,playlists"), ("limit", "25")] + genre).items
        case .web:
            let parameters = [("types", "songs,albums"), ("limit", "50")] + genre
            shown = ask("charts", parameters).items
            think(2000...5000)
            if chance(30) { ask("charts", parameters + [("offset", "50")]) }
        case .tagger: shown = ask("charts", [("types", "songs"), ("limit", "100")] + genre).items
        }
        think(1500...6000)
        for _ in 0..<count(1...3) {
            guard let item = pool.choice(shown.shuffledHead(24, &random), &random) else { continue }
            open(item)
        }
    }

    /// What a tap on an item brings up.
    mutating func open(_ item: ObservedAnswer.Item) {
        switch item.type {
        case "albums": albumPage(item.id)
        case "artists": artistPage(item.id, albums: 2)
        case "playlists": playlistPage(item.id)
        case "songs":
            switch app {
            case .player: ask("songs/\(item.id)")
            case .web: ask("songs/\(item.id)", [("include", "albums,artists")])
            case .tagger: ask("songs", [("ids", item.id)])
            }
            think(2000...20000)
        default: break
        }
    }

    /// A playlist, read to some depth.
    mutating func playlistPage(_ id: String) {
        let pages = count(1...4)
        switch app {
        case .player:
            let playlist = ask("playlists/\(id)")
            var next = playlist.related["tracks"]?.next
            for _ in 1..<max(pages, 2) {
                guard let target = next else { break }
                think(1500...5000)
                next = follow(target).next
            }
        case .web: walk("playlists/\(id)/tracks", limit: 50, pages: pages)
        case .tagger:
            let tracks = walk("playlists/\(id)/tracks", limit: chance(50) ? 100 : 25, pages: 10)
            if chance(30) { lookUp("songs", tracks.map(\.id), []) }
        }
        think(1500...6000)
    }

    /// Pages by offsets of the app's own reckoning.
    @discardableResult
    mutating func walk(_ path: String, limit: Int, pages: Int) -> [ObservedAnswer.Item] {
        var items: [ObservedAnswer.Item] = []
        for page in 0..<pages {
            let answer = ask(path, [("limit", String(limit)), ("offset", String(page * limit))])
            items += answer.items
            if answer.next == nil { break }
            think(800...4000)
        }
        return items
    }
}

extension [ObservedAnswer.Item] {
    /// Some of the first, in a random order: users do not tap from top to bottom.
    func shuffledHead(_ most: Int, _ random: inout SplitMix64) -> [Element] {
        let types = Set(map(\.type)).sorted()
        return types.flatMap { type in filter { $0.type == type }.prefix(most / types.count) }.shuffled(using: &random)
    }
}
