// Availability in a storefront. An unavailable item keeps its place in every list and is dropped
// after the page was cut, which is why `next` offsets jump further than the items returned
// (APPLE-MUSIC-API 7.10).

extension Catalog {
    func isAvailable(_ resource: Resource, in market: Market) -> Bool {
        guard exists(resource) else { return false }
        switch resource.type {
        case .albums: return isAlbumAvailable(resource.number, market)
        case .songs: return isSongAvailable(resource.number, market)
        case .artists:
            return isProlific(resource.number) || !isLacking(oneIn: 60, resource.number, 2000 + market.index)
        case .musicVideos: return !isLacking(oneIn: 14, resource.number, 3000 + market.index)
        case .playlists: return !isLacking(oneIn: 30, resource.number, 4000 + market.index)
        default: return true
        }
    }

    /// Deprecated in every storefront: such an id vanishes from batches and answers 404 alone
    /// (APPLE-MUSIC-API 8.18). With `unavailableOneIn`, which sets how rare gaps are, none is.
    func isDeprecated(album: Int) -> Bool {
        traits.unavailableOneIn == nil && ordinal(ofAlbum: album) != 4 && seed.isOne(in: 97, .retirement, album)
    }

    private func isAlbumAvailable(_ album: Int, _ market: Market) -> Bool {
        if isDeprecated(album: album) { return false }
        let isAway = isAway(Resource(.albums, album))
        if ordinal(ofAlbum: album) == 4, isProlific(artist(ofAlbum: album)) { return !isAway }
        return isMusicLacking(oneIn: 12, album, market.index) == isAway
    }

    private func isSongAvailable(_ song: Int, _ market: Market) -> Bool {
        isAlbumAvailable(song / Self.songSpan, market)
            && isMusicLacking(oneIn: 40, song, 1000 + market.index) == isAway(Resource(.songs, song))
    }

    /// - Parameter share: of the type, without `unavailableOneIn`.
    private func isLacking(oneIn share: Int, _ number: Int, _ market: Int) -> Bool {
        seed.isOne(in: traits.unavailableOneIn ?? share, .availability, number, market)
    }

    /// Whether an album or a song is missing: they have a percentage.
    private func isMusicLacking(oneIn share: Int, _ number: Int, _ market: Int) -> Bool {
        guard traits.unavailableOneIn == nil, let percent = traits.unavailablePercent else {
            return isLacking(oneIn: share, number, market)
        }
        return seed.number(below: 100, .availability, number, market) < percent
    }

    /// Whether there is such a resource in any storefront.
    func exists(_ resource: Resource) -> Bool {
        let number = resource.number
        guard resource.type == .songs else { return (0..<count(of: resource.type)).contains(number) }
        let (album, track) = (number / Self.songSpan, track(ofSong: number))
        return number >= 0 && album < albumCount && track >= 0 && track < trackCount(ofAlbum: album)
    }
}
