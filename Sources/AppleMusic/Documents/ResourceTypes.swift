import Text

// The types of resources that Apple documents: for finding the one that was meant.

extension ResourceMention {
    /// The type that `type`, which is none that is known, is one edit away from; nil for one that
    /// is known, and for one that is near none: the origin may have more than it documents.
    public static func knownType(near type: String) -> String? {
        guard type.utf8.count <= 64, !types.contains(type) else { return nil }
        return types.first { editDistance(Array(type.utf8), Array($0.utf8)) == 1 }
    }

    private static let types = [
        "activities", "albums", "apple-curators", "artists", "curators", "genres", "languages", "music-videos",
        "personal-recommendation", "playlists", "ratings", "record-labels", "search-suggestions", "songs",
        "station-genres", "stations", "storefronts", "library-albums", "library-artists",
        "library-music-videos", "library-playlists", "library-playlist-folders", "library-songs",
    ]
}
