// How much one request may ask for: what is documented, and where practice has been otherwise.

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

    /// The greatest `limit` of a list that is documented (APPLE-MUSIC-API 4.1, 4.2); nil where none
    /// is. More is a 400.
    /// - Parameter type: of the parent.
    public static func greatestLimit(ofList name: [UInt8], isView: Bool, of type: ResourceClass) -> Int? {
        isView ? viewLimits(of: type)?.greatest : relationshipLimits(name, of: type)?.greatest
    }

    /// The size of a page whose request had no `limit`, as far as it is documented; the offset in a
    /// page's `next` may tell better.
    /// - Parameter type: of the parent.
    public static func standardLimit(ofList name: [UInt8], isView: Bool, of type: ResourceClass) -> Int? {
        isView ? viewLimits(of: type)?.standard : relationshipLimits(name, of: type)?.standard
    }

    private typealias Limits = (standard: Int, greatest: Int?)

    private static func viewLimits(of type: ResourceClass) -> Limits? {
        switch type {
        case .musicVideos: (15, 100)
        case .playlists, .recordLabels: (10, nil)
        default: nil
        }
    }

    private static func relationshipLimits(_ name: [UInt8], of type: ResourceClass) -> Limits? {
        func isNamed(_ names: StaticString...) -> Bool {
            names.contains { text in
                name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            }
        }
        return switch type {
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
