import Simulator
import Text

/// Targets that can be composed, and what has to be stored for that.
struct ComposeWorkload {
    let name: String
    /// Asked for beforehand: the material, and answers of the same form, by which that is learnt.
    let stored: [String]
    /// Each one once.
    let targets: [String]

    private static let base = "/v1/catalog/us/"
    /// Answers by which a form is learnt.
    private static let examples = 24
    private static let random: UInt64 = 11

    static func all() throws -> [ComposeWorkload] {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        let api = ObservedAPI(configuration)
        let pool = MusicPool(api, artistLimit: 400, exponent: 1)
        var albums: [String] = []
        var seen: Set<String> = []
        for artist in pool.artists {
            let found = api[base + "artists/\(artist.id)/albums"].items.map(\.id)
            albums += found.filter { seen.insert($0).inserted }
        }
        guard albums.count >= 800 else { throw BenchError("the simulated catalog has \(albums.count) albums only") }
        let artists = pool.artists.map(\.id)
        return [
            reduced("albums/ID of batches of 25", "albums", albums),
            reduced("artists/ID of batches of 25", "artists", artists),
            split("albums?ids= of 3 singles", "albums", albums, 3, count: 1_600),
            split("albums?ids= of 20 singles", "albums", albums, 20, count: 400),
            including(albums, artists, api),
        ]
    }

    /// Single resources out of batches.
    private static func reduced(_ name: String, _ type: String, _ ids: [String]) -> ComposeWorkload {
        let (known, wanted) = (ids.prefix(examples), Array(ids.dropFirst(examples)))
        return ComposeWorkload(
            name: name, stored: known.map { base + "\(type)/\($0)" } + batches(type, ids, of: 25),
            targets: wanted.map { base + "\(type)/\($0)" })
    }

    /// Batches out of single resources, each another choice in another order.
    private static func split(
        _ name: String, _ type: String, _ all: [String], _ size: Int, count: Int
    ) -> ComposeWorkload {
        var random = SplitMix64(seed: random)
        let (known, ids) = (all.prefix(examples), Array(all.dropFirst(examples).prefix(200)))
        let wanted = (0..<count).map { _ in ids.shuffled(using: &random).prefix(size).joined(separator: ",") }
        return ComposeWorkload(
            name: name,
            stored: (known + ids).map { base + "\(type)/\($0)" } + batches(type, Array(known), of: 12),
            targets: wanted.map { base + "\(type)?ids=\($0)" })
    }

    /// Albums with their artists, out of albums and artists.
    private static func including(_ all: [String], _ artists: [String], _ api: ObservedAPI) -> ComposeWorkload {
        let (albums, included) = (Array(all.prefix(700)), "?include=artists")
        var needed: Set<String> = []
        for album in albums {
            needed.formUnion((api[base + "albums/\(album)"].related["artists"]?.items ?? []).map(\.id))
        }
        return ComposeWorkload(
            name: "albums/ID?include=artists",
            stored: albums.prefix(examples * 4).map { base + "albums/\($0)" + included }
                + albums.map { base + "albums/\($0)" } + batches("albums", albums, of: 25)
                + batches("artists", needed.sorted(), of: 25),
            targets: albums.dropFirst(examples * 4).map { base + "albums/\($0)" + included })
    }

    private static func batches(_ type: String, _ ids: [String], of size: Int) -> [String] {
        stride(from: 0, to: ids.count, by: size).map { start in
            base + "\(type)?ids=" + ids[start..<min(start + size, ids.count)].joined(separator: ",")
        }
    }
}
