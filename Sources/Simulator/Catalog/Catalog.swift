import Text

// The catalog of all storefronts and languages. Two small tables say which albums and videos belong
// to which artist; all else is computed from the seed, so that start-up takes microseconds and
// memory a few hundred KiB.
//
// Must hold: relations agree in both directions (an album of an artist names that artist), for
// every seed and size, except for items that a later revision takes out of a list or puts into it.

/// The seeded resources, and the arithmetic between them.
///
/// A class, because each response passes it on thousands of times, and a copy of a struct would
/// retain each table.
final class Catalog: Sendable {
    let seed: Seed
    let revision: Int
    let artistCount: Int
    let playlistCount: Int
    let traits: CatalogTraits
    let curatorCount = 60
    let appleCuratorCount = 40
    let activityCount = 24
    let stationCount = 420
    let labelCount = 150
    /// The number of the first album of each artist, and the number of albums at the end.
    let albumStart: [Int32]
    /// The number of the first music video of each artist, and the number of videos at the end.
    let videoStart: [Int32]
    let albumArtist: [Int32]

    init(seed: UInt64, artists: Int, playlists: Int, traits: CatalogTraits = CatalogTraits()) {
        let seed = Seed(value: SplitMix64.mixed(seed &+ 0x5EED))
        self.seed = seed
        revision = 0
        artistCount = max(artists, 16)
        playlistCount = max(playlists, 64)
        self.traits = traits
        var albumStart: [Int32] = [0]
        var videoStart: [Int32] = [0]
        var albumArtist: [Int32] = []
        for artist in 0..<artistCount {
            let isProlific = Self.isProlific(artist, traits)
            let albums = Self.albumCount(ofArtist: artist, seed, traits)
            albumArtist.append(contentsOf: repeatElement(Int32(artist), count: albums))
            albumStart.append(albumStart[artist] + Int32(albums))
            videoStart.append(videoStart[artist] + Int32(Self.videoCount(ofArtist: artist, seed, isProlific)))
        }
        (self.albumStart, self.videoStart, self.albumArtist) = (albumStart, videoStart, albumArtist)
    }

    /// The catalog as it is at another revision; the tables are shared.
    init(_ catalog: Catalog, revision: Int) {
        seed = catalog.seed
        self.revision = revision
        artistCount = catalog.artistCount
        playlistCount = catalog.playlistCount
        traits = catalog.traits
        albumStart = catalog.albumStart
        videoStart = catalog.videoStart
        albumArtist = catalog.albumArtist
    }

    var albumCount: Int { albumArtist.count }
    var videoCount: Int { Int(videoStart[artistCount]) }

    func isProlific(_ artist: Int) -> Bool { Self.isProlific(artist, traits) }

    private static func isProlific(_ artist: Int, _ traits: CatalogTraits) -> Bool {
        let share = traits.prolificShare
        return traits.listSizes == .standard && artist % share == min(7, share - 1)
    }

    private static func albumCount(ofArtist artist: Int, _ seed: Seed, _ traits: CatalogTraits) -> Int {
        if traits.listSizes == .recorded { return seed.recordedAlbumCount(ofArtist: artist) }
        if isProlific(artist, traits) { return 110 + seed.number(below: 70, .albumCount, artist) }
        return 1 + seed.number(below: 7, .albumCount, artist)
    }

    private static func videoCount(ofArtist artist: Int, _ seed: Seed, _ isProlific: Bool) -> Int {
        isProlific
            ? 30 + seed.number(below: 20, .videoCount, artist) : seed.number(below: 3, .videoCount, artist)
    }

    func albums(ofArtist artist: Int) -> Range<Int> { Int(albumStart[artist])..<Int(albumStart[artist + 1]) }

    func videos(ofArtist artist: Int) -> Range<Int> { Int(videoStart[artist])..<Int(videoStart[artist + 1]) }

    func artist(ofAlbum album: Int) -> Int { Int(albumArtist[album]) }

    /// The artist of a music video, by bisection.
    func artist(ofVideo video: Int) -> Int {
        var low = 0
        var high = artistCount
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(videoStart[middle]) <= video { low = middle } else { high = middle }
        }
        return low
    }

    /// The second artist of an album: the first album of every ninth artist is a duet with the
    /// artist before.
    func guest(ofAlbum album: Int) -> Int? {
        let artist = artist(ofAlbum: album)
        guard artist > 0, (artist - 1) % 9 == 4, Int(albumStart[artist]) == album else { return nil }
        return artist - 1
    }

    /// The album of another artist on which this one is the guest.
    func guestAlbum(ofArtist artist: Int) -> Int? {
        guard artist % 9 == 4, artist + 1 < artistCount else { return nil }
        return Int(albumStart[artist + 1])
    }
}
