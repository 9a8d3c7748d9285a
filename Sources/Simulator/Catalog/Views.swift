// Contents of a view, before the storefront's availability.

extension Catalog {
    /// The elements of a view; empty where nothing fits, which is legal (APPLE-MUSIC-API 5.1.8).
    func elements(of view: View, _ resource: Resource, in market: Market) -> [Resource] {
        let number = resource.number
        switch (resource.type, view) {
        case (.albums, .otherVersions): return cleanEdition(ofAlbum: number).map { [Resource(.albums, $0)] } ?? []
        case (.albums, .relatedAlbums):
            return albums(ofArtist: artist(ofAlbum: number), in: market).filter { $0 != resource }
        case (.albums, .relatedVideos), (.artists, .featuredMusicVideos), (.artists, .topMusicVideos):
            return musicVideos(ofArtist: artist(of: resource))
        case (.artists, .appearsOnAlbums): return guestAlbum(ofArtist: number).map { [Resource(.albums, $0)] } ?? []
        case (.artists, .featuredPlaylists): return essentials(ofArtist: number)
        case (.artists, .similarArtists):
            return (1...30).map { Resource(.artists, (number + $0 * $0 * 17) % artistCount) }
        case (.artists, _): return selected(albums(ofArtist: number, in: market), by: view)
        case (.musicVideos, .moreByArtist):
            return musicVideos(ofArtist: artist(of: resource)).filter { $0 != resource }
        case (.musicVideos, .moreInGenre):
            return (1...60).map { Resource(.musicVideos, (number + $0 * 11) % max(1, videoCount)) }
        case (.playlists, .featuredArtists):
            var seen: Set<Int> = []
            return tracks(ofPlaylist: number).map { artist(of: $0) }.filter { seen.insert($0).inserted }
                .map { Resource(.artists, $0) }
        case (.playlists, .moreByCurator):
            let curator = curator(ofPlaylist: number)
            return playlists { $0 != number && self.curator(ofPlaylist: $0) == curator }
        case (.recordLabels, _):
            let releases = stride(from: number, to: albumCount, by: labelCount).map { Resource(.albums, $0) }
            return view == .topReleases
                ? releases : releases.sorted { date(ofAlbum: $0.number) > date(ofAlbum: $1.number) }
        default: return []
        }
    }

    /// The view's selection of an artist's albums, or some of their songs.
    private func selected(_ albums: [Resource], by view: View) -> [Resource] {
        switch view {
        case .compilationAlbums: return albums.filter { edition(ofAlbum: $0.number) == .reissue }
        case .featuredAlbums: return Array(albums.prefix(3))
        case .fullAlbums: return albums.filter { trackCount(ofAlbum: $0.number) > 7 }
        case .latestRelease:
            return albums.max { date(ofAlbum: $0.number) < date(ofAlbum: $1.number) }.map { [$0] } ?? []
        case .singles: return albums.filter { trackCount(ofAlbum: $0.number) < 8 }
        case .topSongs:
            return albums.prefix(40).flatMap { album in
                (0..<min(3, trackCount(ofAlbum: album.number))).map { song(album: album.number, track: $0) }
            }
        default: return []
        }
    }
}
