import Text

/// One session of one app, as it is being written: its requests, and their times.
struct SessionScript {
    let app: ClientApp
    let storefront: String
    let habits: ClientHabits
    let pool: MusicPool
    let api: ObservedAPI
    var random: SplitMix64
    /// Milliseconds since the trace began.
    private var now: Int
    private let launch: UInt64
    /// In the order in which they are sent; their predecessors are places in this session.
    private(set) var requests: [TraceRequest] = []

    init(
        _ app: ClientApp, _ pool: MusicPool, _ api: ObservedAPI, seed: UInt64, start: Int,
        _ habits: ClientHabits = ClientHabits()
    ) {
        self.app = app
        self.pool = pool
        self.api = api
        random = SplitMix64(seed: seed)
        now = start
        launch = random.next()
        self.habits = habits
        let user = Int.random(in: 0..<100, using: &random)
        storefront = user < habits.inJapan ? "jp" : user < 80 ? "us" : "gb"
    }

    /// Asks for a path of the catalog.
    ///
    /// - Parameter isAlongside: whether the app sends it without waiting for the answer to the
    ///   request before it.
    @discardableResult
    mutating func ask(
        _ path: String, _ parameters: [(name: String, value: String)] = [], alongside isAlongside: Bool = false
    ) -> ObservedAnswer {
        var parameters = parameters
        if app == .web, storefront == "gb", launch % 3 == 0 { parameters.append(("l", "en-GB")) }
        let speller = habits.spellsAlike ? .tagger : app
        return send("/v1/catalog/\(storefront)/\(path)" + speller.query(parameters, launch: launch), isAlongside)
    }

    /// Asks for a target that an answer named.
    @discardableResult
    mutating func follow(_ target: String) -> ObservedAnswer { send(target, false) }

    private mutating func send(_ target: String, _ isAlongside: Bool) -> ObservedAnswer {
        let answer = api[target]
        let predecessor = isAlongside ? requests.last?.predecessor : requests.indices.last
        requests.append(
            TraceRequest(target: target, due: now, status: answer.status, predecessor: predecessor))
        now += Int.random(in: 2...25, using: &random)
        return answer
    }

    /// The user looks at the page, in milliseconds.
    mutating func think(_ range: ClosedRange<Int>) {
        now += Int.random(in: range, using: &random)
    }

    /// Whether this user has updated the app.
    var isNewVersion: Bool { launch / 2 % 2 == 0 }

    /// A list that the app keeps as a set: in this phone app, the order differs from launch to
    /// launch.
    func set(_ names: String...) -> String {
        (launch % 2 == 0 || habits.spellsAlike ? names : names.reversed()).joined(separator: ",")
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}

// Actions of users on the pages of an app: artists, albums, playlists, charts.

extension SessionScript {
    /// An artist's page, then some albums of it.
    mutating func artistPage(_ id: String, albums mostAlbums: Int = 3) {
        var albums: [ObservedAnswer.Item] = []
        switch app {
        case .player:
            // The newer version shows the head of the page at once, and fetches the shelf later.
            let artist = ask("artists/\(id)", artistDecorations)
            albums = artist.related["albums"]?.items ?? []
            if isNewVersion { albums = ask("artists/\(id)/albums", alongside: true).items }
            if chance(20) { ask("artists/\(id)/view/top-songs", alongside: true) }
            if let next = artist.related["albums"]?.next, chance(40) { albums += follow(next).items }
        case .web:
            ask("artists/\(id)", artistDecorations)
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
    private mutating func albumPage(_ id: String) {
        let decorations = albumDecorations()
        let album =
            app == .tagger ? ask("albums", [("ids", id)] + decorations) : ask("albums/\(id)", decorations)
        let tracks = album.related["tracks"]?.items ?? []
        think(1000...6000)
        if !tracks.isEmpty, chance(45) { play(tracks.map(\.id)) }
        if let artist = album.related["artists"]?.items.first, app != .tagger, chance(30) {
            ask("artists/\(artist.id)")
            think(1500...6000)
        }
    }

    /// The queue from a track on, and the track that is playing.
    mutating func play(_ tracks: [String]) {
        let first = chance(50) ? 0 : count(0...(tracks.count - 1))
        let queue = Array(tracks[first...].prefix(app == .player ? 10 : 25))
        switch app {
        case .player:
            if chance(60) { lookUp("songs", queue, []) }
            for id in queue.prefix(count(1...2)) {
                think(4000...30000)
                ask("songs/\(id)", songDecorations)
            }
        case .web:
            lookUp("songs", queue, [])
            think(4000...30000)
            ask("songs/\(queue[0])", songDecorations)
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

    /// The charts, then some of their resources.
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

    /// The page that a tap on an item opens.
    mutating func open(_ item: ObservedAnswer.Item) {
        switch item.type {
        case "albums": albumPage(item.id)
        case "artists": artistPage(item.id, albums: 2)
        case "playlists": playlistPage(item.id)
        case "songs":
            if app == .tagger { ask("songs", [("ids", item.id)]) } else { ask("songs/\(item.id)", songDecorations) }
            think(2000...20000)
        default: break
        }
    }

    /// A playlist, read to some depth.
    mutating func playlistPage(_ id: String) {
        let pages = count(1...4)
        switch app {
        case .player:
            let playlist = ask("playlists/\(id)", playlistDecorations)
            var next = playlist.related["tracks"]?.next
            for _ in 1..<max(pages, 2) {
                guard let target = next else { break }
                think(1500...5000)
                next = follow(target).next
            }
        case .web: walk("playlists/\(id)/tracks", limit: 50, pages: pages)
        case .tagger:
            let (most, fewer) = habits.asksForMuch ? (300, 100) : (100, 25)
            let tracks = walk("playlists/\(id)/tracks", limit: chance(50) ? most : fewer, pages: 10)
            if chance(30) { lookUp("songs", tracks.map(\.id), []) }
        }
        think(1500...6000)
    }

    /// Pages by offsets of the app's own reckoning, or by `next`.
    @discardableResult
    mutating func walk(_ path: String, limit: Int, pages: Int) -> [ObservedAnswer.Item] {
        if habits.followsNext { return walkByNext(path, limit: limit, pages: pages) }
        var items: [ObservedAnswer.Item] = []
        for page in 0..<pages {
            let answer = ask(path, [("limit", String(limit)), ("offset", String(page * limit))])
            items += answer.items
            if habits.asksBlindly ? answer.status != 200 : answer.next == nil { break }
            think(800...4000)
        }
        return items
    }

    private mutating func walkByNext(_ path: String, limit: Int, pages: Int) -> [ObservedAnswer.Item] {
        var answer = ask(path, [("limit", String(limit))])
        var items = answer.items
        for _ in 1..<max(pages, 1) {
            guard let next = answer.next else { break }
            think(800...4000)
            answer = follow(next)
            items += answer.items
        }
        return items
    }
}

extension [ObservedAnswer.Item] {
    /// Some of the first, in a random order: users do not tap from top to bottom.
    fileprivate func shuffledHead(_ most: Int, _ random: inout SplitMix64) -> [Element] {
        let types = Set(map(\.type)).sorted()
        return types.flatMap { type in filter { $0.type == type }.prefix(most / types.count) }.shuffled(using: &random)
    }
}

// Search as one types, and look-ups of a library's content.

extension SessionScript {
    /// A name is typed until it shows, searched for, and a result opened.
    mutating func searching() {
        let artist = pool.artist(&random)
        let name = artist.name.lowercased()
        let typed = min(name.count, count(3...6))
        if app != .tagger {
            for length in stride(from: 3, through: typed, by: app == .web ? 2 : 1) {
                let prefix = String(name.prefix(length))
                ask("search/hints", [("term", prefix), ("limit", app == .player ? "10" : "5")])
                think(120...450)
            }
        }
        let term = chance(70) ? name : String(name.prefix(typed))
        let parameters: Parameters =
            switch app {
            case .player: [("types", "artists,albums,songs"), ("limit", "10")]
            case .web: [("types", "songs,albums,artists,playlists"), ("limit", "25")]
            case .tagger: [("types", pick(["songs", "albums"]))]
            }
        let found = ask("search", [("term", term)] + parameters).items
        think(1000...5000)
        if chance(80) {
            open(found.first { $0.id == artist.id } ?? pool.choice(found, &random) ?? artist)
        }
    }

    /// Looks items of a user's library or history up in the catalog.
    mutating func libraryShelf() {
        let user = count(0...15)
        switch app {
        case .player:
            // The shelf of the last played albums: each cell asks for its own.
            let albums = pool.library(of: user, count: 30, pool.album)
            let shown = albums.shuffled(using: &random).prefix(count(3...8))
            for id in shown { ask("albums/\(id)", alongside: id != shown.first) }
        case .web:
            let albums = pool.library(of: user, count: 30, pool.album)
            lookUp("albums", Array(albums.shuffled(using: &random).prefix(count(2...12))), [("include", "artists")])
        case .tagger: tagSomeFiles(of: user)
        }
        think(1500...8000)
    }

    /// Batches of whatever files lie next to each other: the sets overlap from run to run.
    private mutating func tagSomeFiles(of user: Int) {
        let songs = pool.library(of: user, count: 50, pool.song)
        for _ in 0..<count(1...4) {
            var some = Array(songs.shuffled(using: &random).prefix(count(1...25)))
            if habits.repeatsIDs, some.count > 2 { some.append(some[0]) }
            ask("songs", [("ids", some.joined(separator: ","))])
            think(200...2000)
        }
        if chance(50) {
            let albums = pool.library(of: user, count: 30, pool.album).shuffled(using: &random).prefix(count(1...20))
            ask("albums", [("ids", albums.joined(separator: ","))] + (chance(50) ? [("include", "artists")] : []))
        }
    }
}
