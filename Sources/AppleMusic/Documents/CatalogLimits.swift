// How much one request may ask for: the documented limits, and where practice has been otherwise.

extension CatalogRequest {
    /// The most ids that are asked for in one request of ours (APPLE-MUSIC-API 4.1). For songs 300
    /// are documented, but 150 were seen to end in a 504 now and then, and 200 always.
    /// - Parameter type: one of the twelve types. Of genres and station-genres nothing is
    ///   documented: 25, the least there is.
    public static func mostIDs(_ type: ResourceClass) -> Int {
        switch type {
        case .artists, .playlists, .genres, .stationGenres: 25
        default: 100
        }
    }

    /// The most elements of a list that is taken apart: the most ids that are documented of any
    /// type (APPLE-MUSIC-API 4.1). A longer list is the origin's to refuse; each element costs an
    /// allocation and look-ups, whoever asks.
    static let mostNamed = 300

    /// The documented limits of a list (APPLE-MUSIC-API 4.1, 4.2): the size of a page whose request
    /// had none, of which the offset in a page's `next` may tell better, and the greatest.
    ///
    /// Nil where none is documented; more than the greatest is a 400.
    /// - Parameter type: of the parent.
    public static func limits(
        ofList name: [UInt8], isView: Bool, of type: ResourceClass
    ) -> (standard: Int, greatest: Int?)? {
        func isNamed(_ names: StaticString...) -> Bool {
            names.contains { text in
                name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            }
        }
        return switch type {
        case .musicVideos where isView: (15, 100)
        case .playlists where isView, .recordLabels where isView: (10, nil)
        case _ where isView: nil
        case .albums where isNamed("tracks"): (300, 300)
        case .albums where isNamed("artists", "record-labels"): (10, 10)
        case .artists where isNamed("albums", "music-videos"): (25, 100)
        case .artists where isNamed("playlists"): (10, 10)
        case .songs where isNamed("albums", "artists"): (10, 10)
        case .musicVideos where isNamed("albums", "artists", "songs"): (10, 10)
        case .playlists where isNamed("tracks"): (100, 300)
        case .activities, .curators, .appleCurators:
            isNamed("playlists") ? (10, 10) : nil
        default: nil
        }
    }
}
