// The index of search: lower-case names, made at the first search. Songs, videos and stations are
// found through their artists and albums.

/// The names of all types that are searched by name.
struct SearchIndex: Sendable {
    /// By type and number, in lower case.
    private let names: [SimulatedType: [[UInt8]]]
    private static let types: [SimulatedType] = [
        .activities, .albums, .appleCurators, .artists, .curators, .playlists, .recordLabels,
    ]
    fileprivate static let most = 120

    init(_ catalog: Catalog) {
        names = Dictionary(
            uniqueKeysWithValues: Self.types.map { type in
                let resources = (0..<catalog.count(of: type)).map { Resource(type, $0) }
                return (type, resources.map { Array(catalog.name(of: $0, .english).lowercased().utf8) })
            })
    }

    private func numbers(_ type: SimulatedType, _ term: String, limit: Int) -> [Int] {
        let (names, bytes) = (names[type] ?? [], Array(term.lowercased().utf8))
        return Array(names.indices.lazy.filter { names[$0].containsBytes(bytes) }.prefix(limit))
    }

    func find(_ term: String) -> SearchMatches {
        SearchMatches(
            numbers: names.keys.reduce(into: [:]) { found, type in
                // All labels are looked at: which of them are shown depends on the storefront.
                let limit = type == .recordLabels ? Int.max : Self.most
                found[type] = numbers(type, term, limit: limit)
            })
    }

    /// The names that contain the term, each once.
    func completions(_ term: String, limit: Int) -> [String] {
        let found = [SimulatedType.artists, .albums].flatMap { type in
            numbers(type, term, limit: limit).map { String(decoding: (names[type] ?? [])[$0], as: UTF8.self) }
        }
        var seen: Set<String> = []
        return Array(found.filter { seen.insert($0).inserted }.prefix(limit))
    }
}

struct SearchMatches: Sendable {
    fileprivate let numbers: [SimulatedType: [Int]]

    /// The results of one type, best first; the storefront decides where the list begins.
    func list(_ type: SimulatedType, _ catalog: Catalog, _ market: Market) -> [Resource] {
        let all = candidates(type, catalog)
        guard all.count > 1 else { return all }
        let shift = market.index % min(3, all.count)
        return Array((all[shift...] + all[..<shift]).prefix(SearchIndex.most))
    }

    private func candidates(_ type: SimulatedType, _ catalog: Catalog) -> [Resource] {
        let artists = numbers[.artists] ?? []
        switch type {
        case .albums: return allAlbums(catalog).map { Resource(type, $0) }
        case .songs:
            return allAlbums(catalog).prefix(40).flatMap { album in
                (0..<min(4, catalog.trackCount(ofAlbum: album))).map { catalog.song(album: album, track: $0) }
            }
        case .musicVideos: return artists.flatMap(catalog.musicVideos)
        case .stations:
            return artists.filter { $0 + 20 < catalog.stationCount }.map { Resource(type, $0 + 20) }
        default: return (numbers[type] ?? []).map { Resource(type, $0) }
        }
    }

    private func allAlbums(_ catalog: Catalog) -> [Int] {
        let ofArtists = (numbers[.artists] ?? []).prefix(20).flatMap { catalog.albums(ofArtist: $0).prefix(30) }
        var seen: Set<Int> = []
        return ((numbers[.albums] ?? []) + ofArtists).filter { seen.insert($0).inserted }
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
