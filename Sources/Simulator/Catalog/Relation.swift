import Text

// Relationships of each type: all of them, those carried by default, and the number of inline
// items (APPLE-MUSIC-API 3.1.21, 4.2).

enum Relation: UInt8, APIWord, Sendable {
    case albums, artists, catalog, children, composers, contents, curator, genres, library, musicVideos, parent
    case playlists, radioShow, recordLabels, songs, station, stations, tracks

    static let words = CaseWords<Self>(separator: "-")
}

struct RelationSet: OptionSet, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ relations: Relation...) {
        rawValue = relations.reduce(0) { $0 | (1 << UInt32($1.rawValue)) }
    }

    func contains(_ relation: Relation) -> Bool { rawValue & (1 << UInt32(relation.rawValue)) != 0 }
}

/// Items of an inline list or a page: unasked, and at most.
struct PageLimits: Equatable, Sendable {
    let standard: Int
    let most: Int
}

extension SimulatedType {
    /// Every relationship the type has (APPLE-MUSIC-API 3.1.21, 3.2.17).
    var relations: RelationSet {
        switch self {
        case .albums: RelationSet(.artists, .genres, .tracks, .library, .recordLabels)
        case .artists: RelationSet(.albums, .genres, .musicVideos, .playlists, .station)
        case .songs: RelationSet(.albums, .artists, .composers, .genres, .library, .musicVideos, .station)
        case .musicVideos: RelationSet(.albums, .artists, .genres, .library, .songs)
        case .playlists: RelationSet(.curator, .library, .tracks)
        case .stations: RelationSet(.radioShow)
        case .stationGenres: RelationSet(.stations)
        case .curators, .appleCurators, .activities: RelationSet(.playlists)
        case .genres, .recordLabels, .storefronts: []
        case .libraryAlbums: RelationSet(.artists, .catalog, .tracks)
        case .libraryArtists: RelationSet(.albums, .catalog)
        case .librarySongs, .libraryMusicVideos: RelationSet(.albums, .artists, .catalog)
        case .libraryPlaylists: RelationSet(.catalog, .tracks)
        case .libraryPlaylistFolders: RelationSet(.children, .parent)
        case .personalRecommendation: RelationSet(.contents)
        }
    }

    /// Relationships that a primary resource carries unasked; those of library albums and
    /// recommendations only as `fullByDefault`.
    var defaultRelations: RelationSet {
        switch self {
        case .albums: RelationSet(.artists, .tracks)
        case .artists: RelationSet(.albums)
        case .songs, .musicVideos: RelationSet(.albums, .artists)
        case .playlists: RelationSet(.curator, .tracks)
        case .curators, .appleCurators, .activities: RelationSet(.playlists)
        case .libraryAlbums: RelationSet(.tracks)
        case .personalRecommendation: RelationSet(.contents)
        default: []
        }
    }

    /// The default relationships whose elements are objects rather than identifiers.
    var fullByDefault: RelationSet {
        switch self {
        case .albums, .playlists, .libraryAlbums: RelationSet(.tracks)
        case .personalRecommendation: RelationSet(.contents)
        default: []
        }
    }

    /// The sizes of a list inside its resource.
    func limits(of relation: Relation) -> PageLimits {
        switch (self, relation) {
        case (.albums, .tracks), (.libraryAlbums, .tracks): PageLimits(standard: 300, most: 300)
        case (.playlists, .tracks): PageLimits(standard: 100, most: 300)
        case (.libraryPlaylists, .tracks): PageLimits(standard: 100, most: 100)
        case (.artists, .albums), (.artists, .musicVideos): PageLimits(standard: 25, most: 100)
        case (.libraryArtists, .albums): PageLimits(standard: 25, most: 100)
        case (.libraryPlaylistFolders, .children): PageLimits(standard: 25, most: 100)
        case (.stationGenres, .stations): PageLimits(standard: 25, most: 100)
        default: PageLimits(standard: 10, most: 10)
        }
    }

    /// The sizes of a page at the relationship's own path; those of libraries differ.
    func pageLimits(of relation: Relation) -> PageLimits {
        guard isLibrary else { return limits(of: relation) }
        return relation == .tracks ? PageLimits(standard: 100, most: 300) : PageLimits(standard: 25, most: 100)
    }

    /// The most `ids` of one request (APPLE-MUSIC-API 4.1).
    var mostIDs: Int {
        switch self {
        case .songs, .librarySongs: 300
        case .artists, .playlists, .libraryArtists, .libraryPlaylists, .libraryPlaylistFolders: 25
        default: 100
        }
    }
}
