// Playlists: their curators and their songs.

extension Catalog {
    /// The playlist's curator: for one in four from outside, for the others one of Apple's own.
    func curator(ofPlaylist playlist: Int) -> Resource {
        playlist % 4 == 3
            ? Resource(.curators, playlist / 4 % curatorCount) : Resource(.appleCurators, playlist % appleCuratorCount)
    }

    /// Every fifth playlist is an artist's essentials.
    func artist(ofPlaylist playlist: Int) -> Int? {
        playlist % 5 == 0 && playlist / 5 < artistCount ? playlist / 5 : nil
    }

    func isChart(playlist: Int) -> Bool { playlist % 40 == 1 }

    func chartMarket(ofPlaylist playlist: Int) -> Market? {
        isChart(playlist: playlist) ? Market.all[playlist / 40 % Market.all.count] : nil
    }

    func trackCount(ofPlaylist playlist: Int) -> Int {
        if isChart(playlist: playlist) { return 100 }
        if traits.listSizes == .recorded { return seed.recordedTrackCount(ofPlaylist: playlist) }
        return playlist % 50 == 2 ? 250 : 15 + seed.number(below: 60, .playlist, playlist)
    }

    /// The songs of a playlist in order; the same in every storefront, where some of them will be
    /// missing.
    func tracks(ofPlaylist playlist: Int) -> [Resource] {
        rearranged(
            (0..<trackCount(ofPlaylist: playlist)).map { drawTrack(ofPlaylist: playlist, place: $0) },
            ofPlaylist: playlist)
    }

    /// The song drawn for a place; places after the playlist's end are songs that revisions add.
    func drawTrack(ofPlaylist playlist: Int, place: Int) -> Resource {
        let album: Int
        if let artist = artist(ofPlaylist: playlist) {
            let albums = albums(ofArtist: artist)
            album = albums.lowerBound + seed.number(below: albums.count, .playlist, playlist, 2 * place + 1)
        } else {
            album = seed.number(below: albumCount, .playlist, playlist, 2 * place + 1)
        }
        return song(
            album: album,
            track: seed.number(below: firstTrackCount(ofAlbum: album), .playlist, playlist, 2 * place + 2))
    }
}
