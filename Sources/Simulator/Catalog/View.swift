import Text

// Views: named selections that belong to a resource (APPLE-MUSIC-API 3.1.22) and are never there by
// default.

enum View: UInt8, APIWord, Sendable {
    case appearsOn, appearsOnAlbums, compilationAlbums, featuredAlbums, featuredArtists, featuredMusicVideos
    case featuredPlaylists, fullAlbums, latestRelease, latestReleases, liveAlbums, moreByArtist, moreByCurator
    case moreInGenre, otherVersions, relatedAlbums, relatedVideos, similarArtists, singles, topMusicVideos
    case topReleases, topSongs

    static let words = CaseWords<Self>(separator: "-")

    /// The title among the view's own attributes (`with=attributes`).
    var title: String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }
}

extension SimulatedType {
    var views: [View] {
        switch self {
        case .albums: [.appearsOn, .otherVersions, .relatedAlbums, .relatedVideos]
        case .artists:
            [
                .appearsOnAlbums, .compilationAlbums, .featuredAlbums, .featuredMusicVideos, .featuredPlaylists,
                .fullAlbums, .latestRelease, .liveAlbums, .similarArtists, .singles, .topMusicVideos, .topSongs,
            ]
        case .musicVideos: [.moreByArtist, .moreInGenre]
        case .playlists: [.featuredArtists, .moreByCurator]
        case .recordLabels: [.latestReleases, .topReleases]
        default: []
        }
    }

    /// Page sizes of the type's views (APPLE-MUSIC-API 4.1.18, 4.1.19: 15 for music videos, 10 for
    /// playlists and labels).
    var viewLimits: PageLimits {
        switch self {
        case .musicVideos: PageLimits(standard: 15, most: 100)
        case .artists: PageLimits(standard: 25, most: 100)
        default: PageLimits(standard: 10, most: 100)
        }
    }
}
