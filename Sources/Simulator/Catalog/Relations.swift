// Which resources a resource leads to. The lists are complete: storefront availability is applied
// when a page is cut.

extension Catalog {
    /// The elements of a catalog relationship in the order in which the storefront shows them.
    /// `library` and the library types are not the catalog's to know and give an empty list.
    func related(_ resource: Resource, _ relation: Relation, in market: Market) -> [Resource] {
        let number = resource.number
        switch resource.type {
        case .albums: return relatedToAlbum(number, relation)
        case .artists: return relatedToArtist(number, relation, market)
        case .songs: return relatedToSong(number, relation)
        case .musicVideos: return relatedToVideo(number, relation)
        case .playlists:
            switch relation {
            case .tracks: return tracks(ofPlaylist: number)
            case .curator: return [curator(ofPlaylist: number)]
            default: return []
            }
        case .curators, .appleCurators:
            guard relation == .playlists else { return [] }
            return playlists { curator(ofPlaylist: $0) == resource }
        case .activities:
            guard relation == .playlists else { return [] }
            return playlists { $0 % activityCount == number }
        case .stations:
            guard relation == .radioShow, (3..<20).contains(number) else { return [] }
            return [Resource(.appleCurators, number)]
        case .stationGenres:
            guard relation == .stations else { return [] }
            return stride(from: number, to: stationCount, by: Genre.all.count).map { Resource(.stations, $0) }
        default: return []
        }
    }

    private func relatedToAlbum(_ album: Int, _ relation: Relation) -> [Resource] {
        switch relation {
        case .artists: artists(ofAlbum: album)
        case .genres: genres(ofArtist: artist(ofAlbum: album))
        case .tracks: (0..<trackCount(ofAlbum: album)).map { song(album: album, track: $0) }
        case .recordLabels: [Resource(.recordLabels, album % labelCount)]
        default: []
        }
    }

    private func relatedToArtist(_ artist: Int, _ relation: Relation, _ market: Market) -> [Resource] {
        switch relation {
        case .albums: return albums(ofArtist: artist, in: market)
        case .genres: return genres(ofArtist: artist)
        case .musicVideos: return videos(ofArtist: artist).map { Resource(.musicVideos, $0) }
        case .playlists: return artist * 5 < playlistCount ? [Resource(.playlists, artist * 5)] : []
        case .station: return artist + 20 < stationCount ? [Resource(.stations, artist + 20)] : []
        default: return []
        }
    }

    private func relatedToSong(_ song: Int, _ relation: Relation) -> [Resource] {
        let (album, track) = (song / Self.songSpan, song % Self.songSpan - 1)
        let artist = artist(ofAlbum: album)
        switch relation {
        case .albums: return [Resource(.albums, album)]
        case .artists: return artists(ofAlbum: album)
        case .composers: return [Resource(.artists, (artist + track * 31 + 1) % artistCount)]
        case .genres: return genres(ofArtist: artist)
        case .musicVideos:
            let videos = videos(ofArtist: artist)
            guard ordinal(ofAlbum: album) == 0, track < videos.count else { return [] }
            return [Resource(.musicVideos, videos.lowerBound + track)]
        case .station: return artist + 20 < stationCount ? [Resource(.stations, artist + 20)] : []
        default: return []
        }
    }

    private func relatedToVideo(_ video: Int, _ relation: Relation) -> [Resource] {
        let artist = artist(ofVideo: video)
        let (first, track) = (Int(albumStart[artist]), video - Int(videoStart[artist]))
        let hasSong = track < trackCount(ofAlbum: first)
        switch relation {
        case .albums: return hasSong ? [Resource(.albums, first)] : []
        case .artists: return [Resource(.artists, artist)]
        case .genres: return genres(ofArtist: artist)
        case .songs: return hasSong ? [song(album: first, track: track)] : []
        default: return []
        }
    }

    func artists(ofAlbum album: Int) -> [Resource] {
        let first = Resource(.artists, artist(ofAlbum: album))
        guard let guest = revised(guest: guest(ofAlbum: album), ofAlbum: album) else { return [first] }
        return [first, Resource(.artists, guest)]
    }

    func genres(ofArtist artist: Int) -> [Resource] {
        [Resource(.genres, genre(ofArtist: artist)), Resource(.genres, 0)]
    }

    /// An artist's albums; each storefront begins somewhere else, as its own popularity would have
    /// it. A revision takes one off the list or brings the oldest to the front.
    func albums(ofArtist artist: Int, in market: Market) -> [Resource] {
        let own = albums(ofArtist: artist)
        let shift = market.index % own.count
        var list = own.indices.map { Resource(.albums, own.lowerBound + ($0 - own.lowerBound + shift) % own.count) }
        if let guest = guestAlbum(ofArtist: artist) { list.append(Resource(.albums, guest)) }
        return rearranged(list, ofArtist: artist)
    }

    private func playlists(where matches: (Int) -> Bool) -> [Resource] {
        (0..<playlistCount).filter(matches).map { Resource(.playlists, $0) }
    }
}
