/// How long discographies and playlists are.
public enum ListSizes: String, CaseIterable, Sendable {
    /// Artists have 1 to 7 albums, or 110 to 179; playlists have 15 to 74 songs, 100 or 250.
    case standard
    /// Discographies of 5 to 150 albums, and playlists of 10 to 250 songs, mostly 50 or 100.
    ///
    /// The recordings in the project's material have such sizes.
    case recorded
}

// The draws for recorded sizes.

/// Bands of sizes, each with the percentage of lists in it and in the bands before it.
private typealias SizeBands = [(lists: Int, sizes: ClosedRange<Int>)]

extension Seed {
    private static let albums: SizeBands = [
        (30, 5...14), (60, 15...25), (85, 26...50), (96, 51...100), (100, 101...150),
    ]
    private static let tracks: SizeBands = [
        (35, 50...50), (70, 100...100), (90, 10...49), (96, 51...99), (100, 101...250),
    ]

    func recordedAlbumCount(ofArtist artist: Int) -> Int {
        drawn(from: Self.albums, number(below: 100, .albumCount, artist, 1), .albumCount, artist)
    }

    func recordedTrackCount(ofPlaylist playlist: Int) -> Int {
        drawn(from: Self.tracks, number(below: 100, .playlist, playlist, -1000), .playlist, playlist)
    }

    private func drawn(from bands: SizeBands, _ list: Int, _ salt: Salt, _ item: Int) -> Int {
        let sizes = bands.first { list < $0.lists }?.sizes ?? 1...1
        return sizes.lowerBound + number(below: sizes.count, salt, item, -1001)
    }
}
