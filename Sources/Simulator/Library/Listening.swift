import Text

// History and recommendations of a user: drawn from the user's key, most recent first, no
// timestamps (APPLE-MUSIC-API 3.2.18).

extension UserLibrary {
    /// Albums, playlists and stations, about fifty deep.
    func recentlyPlayed(_ catalog: Catalog) -> [Resource] {
        (0..<52).map { place in
            switch place % 5 {
            case 1: Resource(.playlists, draw(catalog.playlistCount, .recent, place, catalog))
            case 3: Resource(.stations, draw(catalog.stationCount, .recent, place, catalog))
            default: Resource(.albums, draw(catalog.albumCount, .recent, place, catalog))
            }
        }
    }

    /// Unique songs, eighty deep.
    func recentTracks(_ catalog: Catalog) -> [Resource] {
        var seen: Set<Int> = []
        return (0..<120).compactMap { place in
            let album = draw(catalog.albumCount, .recent, 1000 + place, catalog)
            let song = catalog.song(album: album, track: place % catalog.trackCount(ofAlbum: album))
            return seen.insert(song.number).inserted ? song : nil
        }
    }

    func recentStations(_ catalog: Catalog) -> [Resource] {
        (0..<24).map { Resource(.stations, draw(catalog.stationCount, .recent, 2000 + $0, catalog)) }
    }

    func heavyRotation(_ catalog: Catalog) -> [Resource] {
        (0..<18).map { place in
            place % 3 == 2
                ? Resource(.playlists, draw(catalog.playlistCount, .recent, 3000 + place, catalog))
                : Resource(.albums, draw(catalog.albumCount, .recent, 3000 + place, catalog))
        }
    }

    static let recommendationCount = 6

    /// The playlists or albums of a recommendation.
    func contents(ofRecommendation number: Int, _ catalog: Catalog) -> [Resource] {
        (0..<12).map { place in
            number % 2 == 0
                ? Resource(.playlists, draw(catalog.playlistCount, .recommendation, number * 50 + place, catalog))
                : Resource(.albums, draw(catalog.albumCount, .recommendation, number * 50 + place, catalog))
        }
    }

    func recommendation(id: String, _ catalog: Catalog) -> Resource? {
        let all = (0..<Self.recommendationCount).map { Resource(.personalRecommendation, $0) }
        return all.first { self.id(of: $0, catalog) == id }
    }

    /// The id of the station that is the user's alone.
    func stationID(_ catalog: Catalog) -> String {
        var text = Array("ra.u-".utf8)
        text.appendHexadecimal(catalog.seed.bits(.station, key, 1), digits: 16)
        text.appendHexadecimal(catalog.seed.bits(.station, key, 2), digits: 16)
        return String(decoding: text, as: UTF8.self)
    }

    private func draw(_ bound: Int, _ salt: Salt, _ place: Int, _ catalog: Catalog) -> Int {
        catalog.seed.number(below: bound, salt, key, place)
    }
}
