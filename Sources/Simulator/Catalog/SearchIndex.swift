// The index of search: the lower-case names of artists, albums and playlists, made at the
// first search. Songs, videos and stations are found through their artists and albums.

/// Names by number, in lower case.
struct NameTable: Sendable {
    private let names: [[UInt8]]

    init(_ count: Int, _ name: (Int) -> String) {
        names = (0..<count).map { Array(name($0).lowercased().utf8) }
    }

    /// The numbers of the names that contain the bytes, at most `limit`.
    func find(_ term: [UInt8], limit: Int) -> [Int] {
        Array(names.indices.lazy.filter { names[$0].containsBytes(term) }.prefix(limit))
    }

    func name(_ number: Int) -> String { String(decoding: names[number], as: UTF8.self) }
}

/// The tables of all names that can be searched.
struct SearchIndex: Sendable {
    private let artists: NameTable
    private let albums: NameTable
    private let playlists: NameTable

    init(_ catalog: Catalog) {
        artists = NameTable(catalog.artistCount) { catalog.name(ofArtist: $0) }
        albums = NameTable(catalog.albumCount) { catalog.name(ofAlbum: $0) }
        playlists = NameTable(catalog.playlistCount) { catalog.name(ofPlaylist: $0, .english) }
    }

    func find(_ term: String, _ catalog: Catalog) -> SearchMatches {
        let bytes = Array(term.lowercased().utf8)
        return SearchMatches(
            term: term.lowercased(), artists: artists.find(bytes, limit: 120), albums: albums.find(bytes, limit: 120),
            playlists: playlists.find(bytes, limit: 120))
    }

    /// The names that contain the term, each once.
    func completions(_ term: String, limit: Int, _ catalog: Catalog) -> [String] {
        let bytes = Array(term.lowercased().utf8)
        let names =
            artists.find(bytes, limit: limit).map(artists.name) + albums.find(bytes, limit: limit).map(albums.name)
        var seen: Set<String> = []
        return Array(names.filter { seen.insert($0).inserted }.prefix(limit))
    }
}

/// Matches of a term.
struct SearchMatches: Sendable {
    let term: String
    let artists: [Int]
    let albums: [Int]
    let playlists: [Int]

    private static let most = 120

    /// The results of one type, best first; the storefront decides where the list begins.
    func list(_ type: SimulatedType, _ catalog: Catalog, _ market: Market) -> [Resource] {
        let all = candidates(type, catalog)
        guard all.count > 1 else { return all }
        let shift = market.index % min(3, all.count)
        return Array((all[shift...] + all[..<shift]).prefix(Self.most))
    }

    private func candidates(_ type: SimulatedType, _ catalog: Catalog) -> [Resource] {
        switch type {
        case .artists: return artists.map { Resource(type, $0) }
        case .albums: return allAlbums(catalog).map { Resource(type, $0) }
        case .songs:
            return allAlbums(catalog).prefix(40).flatMap { album in
                (0..<min(4, catalog.trackCount(ofAlbum: album))).map { catalog.song(album: album, track: $0) }
            }
        case .musicVideos:
            return artists.flatMap { catalog.videos(ofArtist: $0).map { Resource(type, $0) } }
        case .playlists: return playlists.map { Resource(type, $0) }
        case .stations:
            return artists.filter { $0 + 20 < catalog.stationCount }.map { Resource(type, $0 + 20) }
        case .curators, .appleCurators:
            return byName(type, catalog) { catalog.name(ofCurator: Resource(type, $0)) }
        case .activities: return byName(type, catalog) { catalog.name(ofActivity: $0) }
        case .recordLabels: return byName(type, catalog) { catalog.name(ofLabel: $0) }
        default: return []
        }
    }

    private func allAlbums(_ catalog: Catalog) -> [Int] {
        let ofArtists = artists.prefix(20).flatMap { Array(catalog.albums(ofArtist: $0).prefix(30)) }
        var seen: Set<Int> = []
        return (albums + ofArtists).filter { seen.insert($0).inserted }
    }

    private func byName(_ type: SimulatedType, _ catalog: Catalog, _ name: (Int) -> String) -> [Resource] {
        let wanted = Array(term.utf8)
        return (0..<catalog.count(of: type)).filter { Array(name($0).lowercased().utf8).containsBytes(wanted) }
            .map { Resource(type, $0) }
    }
}

extension [UInt8] {
    /// Whether the other bytes occur somewhere in these.
    func containsBytes(_ other: [UInt8]) -> Bool {
        guard let first = other.first, count >= other.count else { return other.isEmpty }
        return (0...(count - other.count)).contains {
            self[$0] == first && self[$0..<($0 + other.count)].elementsEqual(other)
        }
    }
}
