// Contents of a view, before the storefront's availability.

extension Catalog {
    /// The elements of a view; empty where nothing fits, which is legal (APPLE-MUSIC-API 5.1.8).
    func elements(of view: View, _ resource: Resource, in market: Market) -> [Resource] {
        switch resource.type {
        case .albums: albumView(view, resource.number, market)
        case .artists: artistView(view, resource.number, market)
        case .musicVideos: videoView(view, resource.number)
        case .playlists: playlistView(view, resource.number)
        case .recordLabels: labelView(view, resource.number)
        default: []
        }
    }

    private func albumView(_ view: View, _ album: Int, _ market: Market) -> [Resource] {
        let artist = artist(ofAlbum: album)
        switch view {
        case .otherVersions:
            guard let clean = cleanEdition(ofAlbum: album) else { return [] }
            return [Resource(.albums, clean)]
        case .relatedAlbums: return albums(ofArtist: artist, in: market).filter { $0.number != album }
        case .relatedVideos: return videos(ofArtist: artist).map { Resource(.musicVideos, $0) }
        default: return []
        }
    }

    private func artistView(_ view: View, _ artist: Int, _ market: Market) -> [Resource] {
        let own = albums(ofArtist: artist, in: market)
        switch view {
        case .fullAlbums: return own.filter { trackCount(ofAlbum: $0.number) > 7 }
        case .singles: return own.filter { trackCount(ofAlbum: $0.number) < 8 }
        case .latestRelease: return own.max { date(ofAlbum: $0.number) < date(ofAlbum: $1.number) }.map { [$0] } ?? []
        case .featuredAlbums: return Array(own.prefix(3))
        case .compilationAlbums: return own.filter { edition(ofAlbum: $0.number) == .reissue }
        case .appearsOnAlbums: return guestAlbum(ofArtist: artist).map { [Resource(.albums, $0)] } ?? []
        case .topMusicVideos, .featuredMusicVideos: return videos(ofArtist: artist).map { Resource(.musicVideos, $0) }
        case .featuredPlaylists: return artist * 5 < playlistCount ? [Resource(.playlists, artist * 5)] : []
        case .similarArtists:
            return (1...30).map { Resource(.artists, (artist + $0 * $0 * 17) % artistCount) }
        case .topSongs:
            return own.prefix(40).flatMap { album in
                (0..<min(3, trackCount(ofAlbum: album.number))).map { song(album: album.number, track: $0) }
            }
        default: return []
        }
    }

    private func videoView(_ view: View, _ video: Int) -> [Resource] {
        let artist = artist(ofVideo: video)
        switch view {
        case .moreByArtist:
            return videos(ofArtist: artist).filter { $0 != video }.map { Resource(.musicVideos, $0) }
        case .moreInGenre:
            return (1...60).map { Resource(.musicVideos, (video + $0 * 11) % max(1, videoCount)) }
        default: return []
        }
    }

    private func playlistView(_ view: View, _ playlist: Int) -> [Resource] {
        switch view {
        case .featuredArtists:
            var seen: Set<Int> = []
            return tracks(ofPlaylist: playlist).compactMap { song in
                let artist = artist(ofAlbum: song.number / Self.songSpan)
                return seen.insert(artist).inserted ? Resource(.artists, artist) : nil
            }
        case .moreByCurator:
            let curator = curator(ofPlaylist: playlist)
            return (0..<playlistCount).filter { $0 != playlist && self.curator(ofPlaylist: $0) == curator }
                .map { Resource(.playlists, $0) }
        default: return []
        }
    }

    private func labelView(_ view: View, _ label: Int) -> [Resource] {
        let releases = stride(from: label, to: albumCount, by: labelCount).map { Resource(.albums, $0) }
        return view == .topReleases
            ? releases : releases.sorted { date(ofAlbum: $0.number) > date(ofAlbum: $1.number) }
    }
}
