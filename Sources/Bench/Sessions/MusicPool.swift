import Text

// Artists, playlists and libraries that the users of the traces want, learnt from the simulated
// API's own charts.

struct MusicPool {
    private let api: ObservedAPI
    private(set) var artists: [ObservedAnswer.Item] = []
    private(set) var playlists: [ObservedAnswer.Item] = []
    private let artistPopularity: Popularity
    private let playlistPopularity: Popularity
    private let albumPopularity = Popularity(8, exponent: 0.8)
    private let trackPopularity = Popularity(12, exponent: 0.7)

    /// - Parameter artistLimit: how many artists are asked for at most.
    init(_ api: ObservedAPI, artistLimit: Int, exponent: Double) {
        self.api = api
        let base = "/v1/catalog/us/"
        let chart = api[base + "charts?types=albums,songs,playlists&limit=200"].items
        playlists = chart.filter { $0.type == "playlists" }
        var seen: Set<String> = []
        for item in chart where item.type != "playlists" && artists.count < artistLimit {
            let found = api[base + "\(item.type)/\(item.id)?include=artists"].related["artists"]?.items ?? []
            artists += found.filter { seen.insert($0.id).inserted && !$0.name.isEmpty }
        }
        artists = Array(artists.prefix(artistLimit))
        artistPopularity = Popularity(artists.count, exponent: exponent)
        playlistPopularity = Popularity(playlists.count, exponent: exponent)
    }

    func artist(_ random: inout SplitMix64) -> ObservedAnswer.Item {
        artists[artistPopularity.rank(&random)]
    }

    func playlist(_ random: inout SplitMix64) -> ObservedAnswer.Item {
        playlists[playlistPopularity.rank(&random)]
    }

    /// One of the list, the first the likeliest.
    func choice<Element>(_ list: [Element], _ random: inout SplitMix64) -> Element? {
        guard !list.isEmpty else { return nil }
        return list[min(albumPopularity.rank(&random), list.count - 1)]
    }

    func album(_ random: inout SplitMix64) -> String {
        let artist = artist(&random)
        let albums = api["/v1/catalog/us/artists/\(artist.id)/albums"].items
        return choice(albums, &random)?.id ?? artist.id
    }

    func song(_ random: inout SplitMix64) -> String {
        let tracks = api["/v1/catalog/us/albums/\(album(&random))"].related["tracks"]?.items ?? []
        guard !tracks.isEmpty else { return "1" }
        return tracks[min(trackPopularity.rank(&random), tracks.count - 1)].id
    }

    /// The songs (or albums) that a user has, the same whenever it is asked.
    func library(of user: Int, count: Int, _ draw: (inout SplitMix64) -> String) -> [String] {
        var random = SplitMix64(seed: 0x11B_0000 + UInt64(user))
        var seen: Set<String> = []
        return (0..<count).map { _ in draw(&random) }.filter { seen.insert($0).inserted }
    }
}
