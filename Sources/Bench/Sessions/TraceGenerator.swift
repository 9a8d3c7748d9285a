import Text

// The traces: sessions that begin one after the other and overlap, each with a seed of its own.

struct TraceGenerator {
    enum Topic {
        case artist, charts, search, playlist, library
        /// For the traces of one kind of traffic.
        case paging, including
    }

    /// One kind of session, and how many of a hundred sessions are of it.
    struct Share {
        let topic: Topic
        let app: ClientApp
        let percent: Int
    }

    /// The mixture of everything, of each topic the share of each app: a phone app with the most
    /// users, its competitor in the browser, a script.
    static let mixed = shares([
        (.artist, [11, 8, 4]), (.charts, [8, 6, 1]), (.search, [12, 9, 4]), (.playlist, [5, 4, 2]),
        (.library, [9, 7, 10]),
    ])

    static let paging = ClientApp.allCases.map { Share(topic: .paging, app: $0, percent: 33) }
    static let including = ClientApp.allCases.map { Share(topic: .including, app: $0, percent: 33) }

    /// Everything, and more long lists and more decorations than in `mixed`.
    static let varied =
        mixed.map { Share(topic: $0.topic, app: $0.app, percent: $0.percent * 6) }
        + paging.map { Share(topic: $0.topic, app: $0.app, percent: 75) }
        + including.map { Share(topic: $0.topic, app: $0.app, percent: 50) }

    /// Half of the sessions read lists, by pages of different sizes.
    static let walking =
        mixed.map { Share(topic: $0.topic, app: $0.app, percent: $0.percent * 3) }
        + paging.map { Share(topic: $0.topic, app: $0.app, percent: 150) }
        + including.map { Share(topic: $0.topic, app: $0.app, percent: 50) }

    /// After public clients: pages of artists, albums and playlists, searches and look-ups, and few
    /// long walks.
    static let publicClients = shares([
        (.artist, [16, 13, 6]), (.charts, [4, 3, 1]), (.search, [10, 8, 4]), (.playlist, [8, 7, 5]),
        (.library, [5, 4, 6]),
    ])

    /// - Parameter table: of each topic the share of each app.
    private static func shares(_ table: [(Topic, [Int])]) -> [Share] {
        table.flatMap { topic, percents in
            zip(ClientApp.allCases, percents).map { Share(topic: topic, app: $0, percent: $1) }
        }
    }

    let api: ObservedAPI
    let pool: MusicPool
    let seed: UInt64
    var habits = ClientHabits()
    /// Between the beginnings of two sessions, in milliseconds.
    private static let spacing = 50...750

    /// - Parameter count: the trace ends with the session that reaches this number of requests.
    func trace(_ shares: [Share], requests count: Int) -> [TraceRequest] {
        var random = SplitMix64(seed: seed)
        var requests: [TraceRequest] = []
        var start = 0
        while requests.count < count {
            let share = Self.draw(shares, &random)
            var script = SessionScript(share.app, pool, api, seed: random.next(), start: start, habits)
            script.perform(share.topic)
            let first = requests.count
            requests += script.requests.map { request in
                var request = request
                request.predecessor = request.predecessor.map { first + $0 }
                return request
            }
            start += Int.random(in: Self.spacing, using: &random)
        }
        return Self.inOrderOfTime(requests)
    }

    /// Requests that are due together keep their order, so a predecessor always comes before the
    /// request that waits for it.
    private static func inOrderOfTime(_ requests: [TraceRequest]) -> [TraceRequest] {
        let order = requests.indices.sorted { (requests[$0].due, $0) < (requests[$1].due, $1) }
        var places = Array(repeating: 0, count: requests.count)
        for (place, index) in order.enumerated() { places[index] = place }
        return order.map { index in
            var request = requests[index]
            request.predecessor = request.predecessor.map { places[$0] }
            return request
        }
    }

    private static func draw(_ shares: [Share], _ random: inout SplitMix64) -> Share {
        var point = Int.random(in: 0..<shares.map(\.percent).reduce(0, +), using: &random)
        for share in shares {
            point -= share.percent
            if point < 0 { return share }
        }
        return shares[0]
    }
}

extension SessionScript {
    mutating func perform(_ topic: TraceGenerator.Topic) {
        switch topic {
        case .artist: artistPage(pool.artist(&random).id)
        case .charts: chartsPage()
        case .search: searching()
        case .playlist: playlistPage(pool.playlist(&random).id)
        case .library: libraryShelf()
        case .paging: readThrough()
        case .including: decorate()
        }
    }

    /// Playlists and discographies to the end, in pages of different sizes.
    private mutating func readThrough() {
        if chance(50) {
            playlistPage(pool.playlist(&random).id)
            return
        }
        let id = pool.artist(&random).id
        switch app {
        case .player:
            var next = ask("artists/\(id)").related["albums"]?.next
            while let target = next { next = follow(target).next }
        case .web: walk("artists/\(id)/albums", limit: 50, pages: 10)
        case .tagger: walk("artists/\(id)/albums", limit: chance(50) ? 100 : 10, pages: 20)
        }
    }

    /// The same few resources alone, in batches, and with their relationships in different ways.
    private mutating func decorate() {
        let ids = (0..<count(1...6)).map { _ in chance(50) ? pool.album(&random) : "" }.filter { !$0.isEmpty }
        let include = [("include", pick(["artists", "artists,genres", "genres,artists", "genres"]))]
        let decoration = chance(65) ? include : []
        for id in ids.prefix(2) { ask("albums/\(id)", decoration) }
        if ids.count > 2 { ask("albums", [("ids", ids.joined(separator: ","))] + decoration) }
        let artist = pool.artist(&random).id
        ask("artists/\(artist)", chance(50) ? [("include", pick(["albums", "genres", "albums,genres"]))] : [])
        let song = pool.song(&random)
        ask("songs/\(song)", chance(50) ? [("include", pick(["albums", "artists", "artists,albums"]))] : [])
        think(1000...5000)
    }
}
