// The names of things: resource types and the numbers behind their ids.
// A `Resource` is eight bytes; everything else about it is computed when it is asked for.

/// A type of resource, catalog or library, with the words it has in paths and in `type`.
enum SimulatedType: UInt8, CaseIterable, Sendable {
    case activities, albums, appleCurators, artists, curators, genres, musicVideos, playlists, recordLabels, songs
    case stations, stationGenres, storefronts
    case libraryAlbums, libraryArtists, librarySongs, libraryMusicVideos, libraryPlaylists, libraryFolders
    case recommendations

    /// The value of `type` in a resource object.
    var name: StaticString {
        switch self {
        case .activities: "activities"
        case .albums: "albums"
        case .appleCurators: "apple-curators"
        case .artists: "artists"
        case .curators: "curators"
        case .genres: "genres"
        case .musicVideos: "music-videos"
        case .playlists: "playlists"
        case .recordLabels: "record-labels"
        case .songs: "songs"
        case .stations: "stations"
        case .stationGenres: "station-genres"
        case .storefronts: "storefronts"
        case .libraryAlbums: "library-albums"
        case .libraryArtists: "library-artists"
        case .librarySongs: "library-songs"
        case .libraryMusicVideos: "library-music-videos"
        case .libraryPlaylists: "library-playlists"
        case .libraryFolders: "library-playlist-folders"
        case .recommendations: "personal-recommendation"
        }
    }

    var isLibrary: Bool { rawValue >= Self.libraryAlbums.rawValue && rawValue <= Self.libraryFolders.rawValue }

    /// The path element after `/v1/me/library/`, for library types.
    var libraryPathElement: Substring? { isLibrary ? name.description.dropFirst("library-".count) : nil }

    private static let byName: [String: SimulatedType] = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.name.description, $0) })

    /// The type a `types`, `ids[..]` or `include[..]` names.
    init?(name: String) {
        guard let type = Self.byName[name] else { return nil }
        self = type
    }

    /// The twelve catalog types of APPLE-MUSIC-API 3.1, by path element.
    init?(catalogPathElement name: String) {
        guard let type = Self.byName[name], type.rawValue <= Self.stationGenres.rawValue else { return nil }
        self = type
    }

    init?(libraryPathElement name: String) {
        guard let type = Self.byName["library-" + name], type.isLibrary else { return nil }
        self = type
    }
}

/// One thing: a type and the number its id stands for (an index, or for songs the album's place and
/// the track).
struct Resource: Hashable, Sendable {
    let type: SimulatedType
    let number: Int

    init(_ type: SimulatedType, _ number: Int) {
        self.type = type
        self.number = number
    }
}
