import Text

// The names of things: resource types and the numbers of their ids.
// A `Resource` is eight bytes; everything else about it is computed when it is asked for.

/// Cases that are words of the API, with hyphens: `musicVideos` is `music-videos`.
protocol APIWord: CaseIterable, RawRepresentable where RawValue == UInt8 {
    static var words: CaseWords<Self> { get }
}

extension APIWord {
    var name: String { Self.words.all[Int(rawValue)] }

    init?(name: String) {
        guard let index = Self.words.all.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(index))
    }
}

/// A type of resource, catalog or library; its case is also its word in paths and in `type`.
enum SimulatedType: UInt8, APIWord, Sendable {
    case activities, albums, appleCurators, artists, curators, genres, musicVideos, playlists, recordLabels, songs
    case stations, stationGenres, storefronts
    case libraryAlbums, libraryArtists, librarySongs, libraryMusicVideos, libraryPlaylists, libraryPlaylistFolders
    case personalRecommendation

    static let words = CaseWords<Self>(separator: "-")

    var isLibrary: Bool { rawValue >= Self.libraryAlbums.rawValue && rawValue <= Self.libraryPlaylistFolders.rawValue }

    /// The path element after `/v1/me/library/`, for library types.
    var libraryPathElement: Substring? { isLibrary ? name.dropFirst("library-".count) : nil }

    /// The twelve catalog types of APPLE-MUSIC-API 3.1, by path element.
    init?(catalogPathElement name: String) {
        guard let type = Self(name: name), type.rawValue <= Self.stationGenres.rawValue else { return nil }
        self = type
    }

    init?(libraryPathElement name: String) {
        guard let type = Self(name: "library-" + name), type.isLibrary else { return nil }
        self = type
    }
}

/// A thing of the catalog: a type and the number that its id means (an index, or for songs the
/// album's place and the track).
struct Resource: Hashable, Sendable {
    let type: SimulatedType
    let number: Int

    init(_ type: SimulatedType, _ number: Int) {
        (self.type, self.number) = (type, number)
    }

    /// A number of its own among the resources of all types.
    var distinctNumber: Int { number &* 32 &+ Int(type.rawValue) }
}
