import Text

// The classes of answers that a `ttl` line can name.

/// The class of an answer, which chooses its lifetime. Sub-resources and views belong to the class
/// of their parent resource. (`not-found` and `bad-request`, which a `ttl` line can name too,
/// depend on the status and not on the route.)
public enum ResourceClass: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case activities, albums, appleCurators, artists, curators, genres, musicVideos, playlists, recordLabels, songs
    case stationGenres, stations
    case charts
    /// Search, search hints and search suggestions.
    case search
    /// `/v1/storefronts` and `/v1/language`.
    case storefronts
    /// The rest of the catalog: several types at once (`ids[songs]=`), types that are not known
    /// here.
    case catalog
    /// Answers of one user: never in the shared scope.
    case personal
    /// Everything else: RFC 9111 to the letter, and it is unknown whether users may share it.
    case other

    /// The name of the class with this number, for operators; the number itself where there is
    /// none.
    public static func name(ofTag tag: UInt8) -> String { Self(rawValue: tag)?.name ?? String(tag) }

    private static let words = CaseWords<Self>(separator: "-")

    /// The name in `ttl` lines, logs and statistics; for a resource type, the path segment.
    public var name: String { Self.words[self] }

    /// Nil for a name that is none of the above; spelling and case count.
    public init?(name: String) {
        guard let match = Self.words.find(name) else { return nil }
        self = match
    }

    /// Whether it is one of the twelve resource types of the catalog (APPLE-MUSIC-API 3.1).
    public var isResourceType: Bool { rawValue <= ResourceClass.stations.rawValue }

    /// The resource type that a path segment after the storefront names.
    init?(resourceType segment: TextSlice, in bytes: Span<UInt8>) {
        let candidate: (ResourceClass, StaticString)
        switch segment.count {
        case 5: candidate = (.songs, "songs")
        case 6: candidate = bytes[segment.start] == UInt8(ascii: "a") ? (.albums, "albums") : (.genres, "genres")
        case 7: candidate = (.artists, "artists")
        case 8:
            candidate = bytes[segment.start] == UInt8(ascii: "s") ? (.stations, "stations") : (.curators, "curators")
        case 9: candidate = (.playlists, "playlists")
        case 10: candidate = (.activities, "activities")
        case 12: candidate = (.musicVideos, "music-videos")
        case 13: candidate = (.recordLabels, "record-labels")
        case 14:
            candidate =
                bytes[segment.start] == UInt8(ascii: "s")
                ? (.stationGenres, "station-genres") : (.appleCurators, "apple-curators")
        default: return nil
        }
        guard segment.equals(candidate.1, in: bytes) else { return nil }
        self = candidate.0
    }
}
