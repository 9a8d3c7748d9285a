/// How long discographies and playlists are.
public enum ListSizes: String, CaseIterable, Sendable {
    /// Artists have 1 to 7 albums, or 110 to 179; playlists have 15 to 74 songs, 100 or 250.
    case standard
    /// Discographies of 5 to 150 albums, and playlists of 10 to 250 songs, mostly 50 or 100.
    ///
    /// The recordings in the project's material have such sizes.
    case recorded
}

// The draws for recorded sizes. Each names a band by its share of a hundred lists, then a size in
// that band.

extension Seed {
    func recordedAlbumCount(ofArtist artist: Int) -> Int {
        let band: ClosedRange<Int>
        switch number(below: 100, .albumCount, artist, 1) {
        case ..<30: band = 5...14
        case ..<60: band = 15...25
        case ..<85: band = 26...50
        case ..<96: band = 51...100
        default: band = 101...150
        }
        return drawn(from: band, .albumCount, artist)
    }

    func recordedTrackCount(ofPlaylist playlist: Int) -> Int {
        let band: ClosedRange<Int>
        switch number(below: 100, .playlist, playlist, -1000) {
        case ..<35: band = 50...50
        case ..<70: band = 100...100
        case ..<90: band = 10...49
        case ..<96: band = 51...99
        default: band = 101...250
        }
        return drawn(from: band, .playlist, playlist)
    }

    private func drawn(from band: ClosedRange<Int>, _ salt: Salt, _ item: Int) -> Int {
        band.lowerBound + number(below: band.count, salt, item, -1001)
    }
}
