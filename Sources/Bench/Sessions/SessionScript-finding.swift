// Search as one types, and look-ups of what a library holds.

extension SessionScript {
    /// A name is typed until it shows, searched for, and a result opened.
    mutating func searching() {
        let artist = pool.artist(&random)
        let name = artist.name.lowercased()
        let typed = min(name.count, count(3...6))
        if app != .tagger {
            for length in stride(from: 3, through: typed, by: app == .web ? 2 : 1) {
                let prefix = String(name.prefix(length))
                switch app {
                case .player: ask("search/hints", [("term", prefix), ("limit", "10")])
                default: ask("search/hints", [("term", prefix), ("limit", "5")])
                }
                think(120...450)
            }
        }
        let term = chance(70) ? name : String(name.prefix(typed))
        let found: [ObservedAnswer.Item]
        switch app {
        case .player: found = ask("search", [("term", term), ("types", "artists,albums,songs"), ("limit", "10")]).items
        case .web:
            let types = [("types", "songs,albums,artists,playlists"), ("limit", "25")]
            found = ask("search", [("term", term)] + types).items
        case .tagger: found = ask("search", [("term", term), ("types", pick(["songs", "albums"]))]).items
        }
        think(1000...5000)
        if chance(80) {
            open(found.first { $0.id == artist.id } ?? pool.choice(found, &random) ?? artist)
        }
    }

    /// What a user's library or history holds is looked up in the catalog.
    mutating func libraryShelf() {
        let user = count(0...15)
        switch app {
        case .player:
            // The shelf of what was played last: each cell asks for its own album.
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
            let some = songs.shuffled(using: &random).prefix(count(1...25))
            ask("songs", [("ids", some.joined(separator: ","))])
            think(200...2000)
        }
        if chance(50) {
            let albums = pool.library(of: user, count: 30, pool.album).shuffled(using: &random).prefix(count(1...20))
            ask("albums", [("ids", albums.joined(separator: ","))] + (chance(50) ? [("include", "artists")] : []))
        }
    }
}
