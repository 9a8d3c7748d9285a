import AppleMusic
import Purging
import Store
import Testing

/// Answers are stored with all that purges choose them by.
@Suite(.timeLimit(.minutes(10))) struct PurgeTests {
    private static let chart = "/v1/catalog/us/charts?limit=3&types=albums"
    private static let britishChart = "/v1/catalog/gb/charts?limit=3&types=albums"
    private static let search = "/v1/catalog/us/search?term=moon&types=songs"

    @Test func everySelectorChoosesWhatItSays() throws {
        let scene = try ComposingScene(.init(.off))
        let album = try scene.ids("albums", 1)[0]
        let number = ResourceMention.number(type: "albums", id: album)
        let targets = [Self.chart, Self.britishChart, Self.search, "/v1/catalog/us/albums/\(album)?include=artists"]
        let naming = try targets.filter { target in
            DocumentScan(Array(try scene.proxy.client.send("GET", target).body)).mentions.contains(number)
        }
        #expect(naming.count >= 2, "the album and its chart")
        let selections: [([EntrySelection.Condition], [String])] = [
            ([], targets), ([.storefront(Array("gb".utf8))], [Self.britishChart]),
            ([.prefix(Array("/v1/catalog/us/se".utf8))], [Self.search]), ([.resource(number)], naming),
            ([.target(Array(Self.chart.utf8))], [Self.chart]),
            ([.storefront(Array("gb".utf8)), .prefix(Array("/v1/catalog/us/".utf8))], []),
        ]
        for (conditions, chosen) in selections {
            for mode in [PurgeMode.dryRun, .hard] {
                let count = scene.cache.purgeAndWait(EntrySelection(conditions), mode, at: scene.clock.unixSeconds)
                #expect(count == chosen.count, "\(conditions)")
            }
            scene.clock.advance(seconds: 1)
            for target in targets {
                #expect(try scene.get(target).cost == (chosen.contains(target) ? 1 : 0), "\(conditions): \(target)")
            }
        }
    }
}
