// The relationships of catalog resources. The lists are complete: storefront availability is
// applied when a page is cut.

extension Catalog {
    /// The elements of a catalog relationship in the storefront's order; empty for `library` and
    /// for the library types, which the catalog does not know.
    func related(_ resource: Resource, _ relation: Relation, in market: Market) -> [Resource] {
        let number = resource.number
        switch (resource.type, relation) {
        case (.activities, .playlists): return playlists { $0 % activityCount == number }
        case (.albums, .artists), (.songs, .artists): return artists(ofAlbum: album(of: resource))
        case (.albums, .genres), (.artists, .genres), (.musicVideos, .genres), (.songs, .genres):
            return [Resource(.genres, genre(ofArtist: artist(of: resource))), Resource(.genres, 0)]
        case (.albums, .recordLabels): return [Resource(.recordLabels, number % labelCount)]
        case (.albums, .tracks): return (0..<trackCount(ofAlbum: number)).map { song(album: number, track: $0) }
        case (.appleCurators, .playlists), (.curators, .playlists):
            return playlists { curator(ofPlaylist: $0) == resource }
        case (.artists, .albums): return albums(ofArtist: number, in: market)
        case (.artists, .musicVideos): return musicVideos(ofArtist: number)
        case (.artists, .playlists): return essentials(ofArtist: number)
        case (.artists, .station), (.songs, .station):
            let station = artist(of: resource) + 20
            return station < stationCount ? [Resource(.stations, station)] : []
        case (.musicVideos, .albums): return song(ofVideo: number).map { Resource(.albums, album(of: $0)) }
        case (.musicVideos, .artists): return [Resource(.artists, artist(ofVideo: number))]
        case (.musicVideos, .songs): return song(ofVideo: number)
        case (.playlists, .curator): return [curator(ofPlaylist: number)]
        case (.playlists, .tracks): return tracks(ofPlaylist: number)
        case (.songs, .albums): return [Resource(.albums, album(of: resource))]
        case (.songs, .composers): return [Resource(.artists, composer(ofSong: number))]
        case (.songs, .musicVideos):
            let album = album(of: resource)
            guard ordinal(ofAlbum: album) == 0 else { return [] }
            return Array(musicVideos(ofArtist: artist(ofAlbum: album)).dropFirst(track(ofSong: number)).prefix(1))
        case (.stationGenres, .stations):
            return stride(from: number, to: stationCount, by: Genre.all.count).map { Resource(.stations, $0) }
        case (.stations, .radioShow): return (3..<20).contains(number) ? [Resource(.appleCurators, number)] : []
        default: return []
        }
    }

    func composer(ofSong song: Int) -> Int {
        (artist(ofAlbum: song / Self.songSpan) + track(ofSong: song) * 31 + 1) % artistCount
    }

    /// The song on the artist's first album, if that has enough tracks.
    private func song(ofVideo video: Int) -> [Resource] {
        let artist = artist(ofVideo: video)
        let (first, track) = (Int(albumStart[artist]), video - Int(videoStart[artist]))
        return track < trackCount(ofAlbum: first) ? [song(album: first, track: track)] : []
    }

    func musicVideos(ofArtist artist: Int) -> [Resource] { videos(ofArtist: artist).map { Resource(.musicVideos, $0) } }

    func essentials(ofArtist artist: Int) -> [Resource] {
        artist * 5 < playlistCount ? [Resource(.playlists, artist * 5)] : []
    }

    func artists(ofAlbum album: Int) -> [Resource] {
        let first = Resource(.artists, artist(ofAlbum: album))
        guard let guest = revised(guest: guest(ofAlbum: album), ofAlbum: album) else { return [first] }
        return [first, Resource(.artists, guest)]
    }

    /// An artist's albums; each storefront begins with another one, as if by its own popularity. A
    /// revision takes one off the list or brings the last one to the front.
    func albums(ofArtist artist: Int, in market: Market) -> [Resource] {
        let own = albums(ofArtist: artist)
        let shift = market.index % own.count
        var list = own.indices.map { Resource(.albums, own.lowerBound + ($0 - own.lowerBound + shift) % own.count) }
        if let guest = guestAlbum(ofArtist: artist) { list.append(Resource(.albums, guest)) }
        return rearranged(list, ofArtist: artist)
    }

    func playlists(where matches: (Int) -> Bool) -> [Resource] {
        (0..<playlistCount).filter(matches).map { Resource(.playlists, $0) }
    }
}
