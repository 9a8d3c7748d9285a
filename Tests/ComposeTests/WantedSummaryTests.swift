import AppleMusic
import TestSupport
import Testing

@testable import Compose

@Suite struct WantedSummaryTests {
    private func wanted(_ requests: Int, _ counts: [(String, Int)]) -> WantedNames {
        WantedNames(
            requests: requests,
            counts.map { text, count in
                let isView = text.hasPrefix("view.")
                return (Selection.Name(text: Array(text.dropFirst(isView ? 5 : 0).utf8), isView: isView), count)
            })
    }

    @Test func aLineSaysWhatIsWanted() {
        let summary = WantedSummary([
            .albums: wanted(120, [("artists", 34), ("tracks", 20)]),
            .artists: wanted(66, [("view.top-songs", 30), ("albums", 12)]),
        ])
        #expect(summary.text == "albums:120,artists=34,tracks=20;artists:66,view.top-songs=30,albums=12")
        #expect(WantedSummary(summary.text) == summary)
    }

    @Test(arguments: [
        "", ";", "albums", "albums:", "albums:0", "albums:x", "albums:-1", "albums:257", "tapes:9", "albums:9:9",
        String(repeating: "albums:9;", count: 200),
    ])
    func otherLinesSayNothing(line: String) { #expect(WantedSummary(line).types.isEmpty, "\(line)") }

    @Test(arguments: ["artists", "artists=", "artists=10", "artists=0", "a b=1", "=1", "view.=1", "a=1=1", "ä=1"])
    func otherNamesAreLeftOut(field: String) {
        #expect(WantedSummary("albums:9,\(field),tracks=3") == WantedSummary([.albums: wanted(9, [("tracks", 3)])]))
    }

    @Test(arguments: [
        ("", "albums:1", true), ("albums:1", "albums:1", false), ("albums:8", "albums:15", false),
        ("albums:8", "albums:16", true), ("albums:200", "albums:128", false), ("albums:8", "albums:8;songs:1", true),
        ("albums:20,artists=9", "albums:30,artists=9", false), ("albums:20,artists=3", "albums:31,artists=3", false),
        ("albums:20,artists=1", "albums:21,artists=3", true),
    ])
    func aDoublingOrAnotherNameIsNews(before: String, now: String, isNews: Bool) {
        #expect(WantedSummary(now).hasNews(since: WantedSummary(before)) == isNews, "\(before) \(now)")
    }

    /// Whatever clients made up, a line is short and has nothing that ends a field.
    @Test(arguments: 1...TestSize.of(20, full: 200) as ClosedRange<UInt64>)
    func everyLineIsReadBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var types: [ResourceClass: WantedNames] = [:]
        for type in ResourceClass.allCases where type.isResourceType {
            var names = WantedNames()
            for _ in 0..<Int.random(in: 0...400, using: &generator) {
                let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                    UInt8.random(in: 0x20...0x7E, using: &generator)
                }
                names.note(Selection(include: [bytes, Array("artists".utf8)], views: [Array("top-songs".utf8)]))
            }
            types[type] = names
        }
        let line = WantedSummary(types).text
        #expect(line.utf8.count <= WantedSummary.mostBytes && !line.contains(" "), "seed \(seed)")
        #expect(WantedSummary(line).text == line, "seed \(seed)")
    }

    @Test func nodesTogetherWantWhatNoneWantsOftenEnough() throws {
        let scene = try StoredScene(
            ["albums/9", "albums/9?include=artists"].map { shown($0, artists: ["90"], genres: ["34"]) })
        let miss = try StoredScene.request("albums/1?include=artists")
        for _ in 0..<8 { scene.library.growth.note(miss: miss) }
        #expect(try scene.ask("albums/1") == .refusal)
        scene.library.growth.heed(["albums:5,artists=5", "albums:4,artists=2"])
        #expect(try scene.ask("albums/1") == .fetch("albums/1?include=artists"))
        scene.library.growth.heed([])
        #expect(try scene.ask("albums/1") == .refusal)
    }
}
