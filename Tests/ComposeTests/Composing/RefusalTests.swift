import AppleMusic
import Cache
import Testing

@testable import Compose

/// The reasons for not composing that the other tables do not meet, and their texts.
@Suite struct RefusalTests {
    static let rows: [Row] = [
        Row(
            "a batch in a form that showed nothing yet", [shown("albums?ids=404"), shown("albums/1")], "albums?ids=1",
            refused: "batch type-never-seen"),
        Row(
            "parameters that change batches",
            [shown("albums/9?extend=a", artists: ["90"]), shown("albums?extend=a&ids=1,2")], "albums/1?extend=a",
            refused: "item parameters-forbid"),
        Row(
            "an older answer that a newer one contradicts",
            [Taught.album, larger, Stored("albums?ids=1,2", document([renamed, album("2")]), after: 1)], "albums/1",
            refused: "item contradicted"),
        Row("a resource not found since", [Taught.album, larger, gone], "albums/1", refused: "item withdrawn"),
        Row("searches", [Taught.album], "search?term=a&types=albums", refused: "other found-otherwise"),
        Row("charts", [Taught.album], "charts?types=albums", refused: "other found-otherwise"),
    ]

    private static let renamed = album("1").replacing("\"albums 1\"", with: "\"another name\",\"more\":1")
    private static var gone: Stored {
        var answer = Stored("albums/1", #"{"errors":[{"id":"A","status":"404"}]}"#, after: 1)
        answer.status = 404
        return answer
    }
    private static let larger = shown("albums/1?include=artists")

    /// Those that a table cannot bring about; each has a test of its own.
    private static let elsewhere = [
        "not-understood", "switched-off", "growth-rests", "answer-too-large", "sources-too-large", "over-age",
    ]

    @Test(arguments: rows) func eachSaysWhatItLacks(_ row: Row) throws { try row.check() }

    @Test func everyLackHasATestAndASentence() {
        let rows =
            Self.rows + CutWindowTests.refusals + EnlargedPageTests.rows + ExpandedItemTests.refusals
            + ReducedItemTests.refusals + SplitBatchTests.refusals
        let met = Set(rows.compactMap { $0.reason?.split(separator: " ").last.map(String.init) })
        let all = MissReason.allCases.map(\.word)
        #expect(Set(all).count == all.count, "no two share a word")
        #expect(Set(all).subtracting(met).sorted() == Self.elsewhere.sorted())
        #expect(Set(MissReason.allCases.map { Refusal(.item, $0).sentence }).count == MissReason.allCases.count)
    }

    @Test func anUnknownTargetHasNoRule() {
        let refusal = Refusal(nothingHeldOf: nil)
        #expect(refusal.rule == .other && refusal.reason == .notUnderstood)
        #expect(refusal.sentence == "other: answers to this kind of target are not composed")
    }

    @Test func rulesThatAreSwitchedOffAreNotTried() throws {
        let stored = Taught.pages + [Taught.album, Self.larger, page(1, "limit=20", 0..<20, next: 20)]
        let scene = try StoredScene(stored) { ($0.compose, $0.windows) = (.off, false) }
        #expect(try scene.refusal("albums/1") == "item switched-off")
        #expect(try scene.refusal("albums?ids=2,1") == "batch switched-off")
        #expect(try scene.refusal("artists/1/albums?limit=5") == "window switched-off")
        // Windows have a switch of their own.
        let window = Outcome.window(items("albums", 0..<5), next: "artists/1/albums?offset=5")
        #expect(try StoredScene(stored) { $0.compose = .off }.ask("artists/1/albums?limit=5") == window)
        // To verify, the same is composed, and compared with the origin's.
        #expect(try StoredScene(stored) { $0.compose = .verify }.ask("albums/1") == .reduced(album("1")))
    }

    @Test func anAnswerBuiltTooOldIsRefused() throws {
        var scene = try StoredScene([Taught.album, Self.larger])
        scene.rule = .fixed(10, stale: 0)
        #expect(try scene.refusal("albums/1", after: 9) == nil)
        #expect(try scene.refusal("albums/1", after: 10) == "item over-age")
    }

    /// The furthest of several pages, and of several places of a resource.
    @Test func theRefusalOfTheFurthestTryIsTold() throws {
        let pages = [page(1, "limit=20", 0..<18, next: 20), page(1, "limit=4&offset=40", 40..<44, next: 44)]
        let scene = try StoredScene(Taught.pages + pages)
        #expect(try scene.refusal("artists/1/albums?limit=5") == "window page-has-gaps")
        #expect(try scene.refusal("artists/1/albums?limit=5&offset=30") == "window page-not-held")
        #expect(try scene.refusal("artists/1/albums?limit=5&offset=41") == "window page-too-short")
    }
}
