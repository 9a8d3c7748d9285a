import Testing

@testable import Compose

/// Larger pages that are fetched where clients go through a list.
@Suite struct EnlargedPageTests {
    private static func page(
        _ artist: Int, _ query: String, _ places: Range<Int>, next: Int?, freshFor: Int = 10_000
    ) -> Stored { CutWindowTests.page(artist, query, places, next: next, freshFor: freshFor) }

    /// More than a hundred places, and an item on each.
    private static let full =
        CutWindowTests.learnt + [page(9, "limit=50&offset=50", 50..<100, next: 100)]
    private static let first = page(1, "limit=20", 0..<20, next: 20)
    private static let larger = Outcome.fetch("/v1/catalog/us/artists/1/albums?limit=100&offset=0")

    static let rows: [ComposingCase] = [
        ComposingCase(
            "where a page ended and the next one is asked for", full + [first], "artists/1/albums?limit=20&offset=20",
            larger),
        ComposingCase(
            "where two more windows are on it", full + [first], "artists/1/albums?limit=26&offset=20", larger),
        ComposingCase(
            "not where one more is on it", full + [first], "artists/1/albums?limit=27&offset=20", .refusal,
            "growth growth-gains-little"),
        ComposingCase(
            "aligned to its size", full + [page(1, "limit=20&offset=120", 120..<140, next: 140)],
            "artists/1/albums?limit=20&offset=140", .fetch("/v1/catalog/us/artists/1/albums?limit=100&offset=100")),
        ComposingCase(
            "not where it is held, though its place was forgotten",
            full + [
                first,
                Stored(
                    "artists/1/albums?limit=100&offset=0", CutWindowTests.page(1, "", 0..<90, next: nil).body,
                    isNoted: false),
            ], "artists/1/albums?limit=20&offset=20", .refusal, "growth growth-gains-little"),
        ComposingCase(
            "not where lists like it have ended on such a page",
            CutWindowTests.learnt + [
                page(8, "limit=100", 0..<60, next: nil), page(7, "limit=100", 0..<70, next: nil), first,
            ],
            "artists/1/albums?limit=20&offset=20", .refusal, "growth growth-gains-little"),
        ComposingCase(
            "with the language of the list",
            full + [page(9, "l=de&limit=20&offset=20", 20..<40, next: 40), page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?l=de&limit=20&offset=20",
            .fetch("/v1/catalog/us/artists/1/albums?l=de&limit=100&offset=0")),
        ComposingCase(
            "not where the client jumps", full + [first], "artists/1/albums?limit=20&offset=40", .refusal,
            "window page-not-held"),
        ComposingCase(
            "not where no page is there", full, "artists/1/albums?limit=20&offset=20", .refusal, "window not-held"),
        ComposingCase(
            "not by a page that has gone stale", full + [page(1, "limit=20", 0..<20, next: 20, freshFor: 50)],
            "artists/1/albums?limit=20&offset=20", .fetch("/v1/catalog/us/artists/1/albums?limit=100&offset=0")),
        ComposingCase(
            "not by a page that has gone stale, later", full + [page(1, "limit=20", 0..<20, next: 20, freshFor: 50)],
            "artists/1/albums?limit=20&offset=20", after: 50, .refusal, "window not-held"),
        ComposingCase(
            "from the first step on", CutWindowTests.learnt + [first], "artists/1/albums?limit=20&offset=20", larger),
        ComposingCase(
            "not where pages of the storefront have gaps",
            full + [page(9, "limit=20&offset=100", 100..<118, next: 120), first],
            "artists/1/albums?limit=20&offset=20", .refusal, "growth growth-meets-gaps"),
        ComposingCase(
            "not where the window would lie in two of them", full + [page(1, "limit=20&offset=70", 70..<90, next: 90)],
            "artists/1/albums?limit=20&offset=90", .refusal, "growth growth-gains-little"),
        ComposingCase(
            "where the client leaves the size to the origin", full + [first], "artists/1/albums?offset=20", larger),
        ComposingCase(
            "not where it is there, and ends before the window",
            full + [first, page(1, "limit=100", 0..<20, next: nil)],
            "artists/1/albums?limit=20&offset=20", .refusal, "window end-uncertain"),
        ComposingCase(
            "of a list that ends it is what proves the places of its items",
            full + [first, page(1, "limit=100", 0..<70, next: nil)], "artists/1/albums?limit=20&offset=20",
            .fetch("/v1/catalog/us/artists/1/albums?limit=69&offset=0")),
        ComposingCase(
            "for any window of such a list", full + [page(1, "limit=100", 0..<70, next: nil)],
            "artists/1/albums?limit=49&offset=20", .fetch("/v1/catalog/us/artists/1/albums?limit=69&offset=0")),
        ComposingCase(
            "where pages are cut first, for its last window too",
            full + [page(9, "limit=20&offset=100", 100..<119, next: 120), page(1, "limit=100", 0..<70, next: nil)],
            "artists/1/albums?limit=20&offset=60", .fetch("/v1/catalog/us/artists/1/albums?limit=70&offset=0")),
        ComposingCase(
            "not for its last window otherwise", full + [page(1, "limit=100", 0..<70, next: nil)],
            "artists/1/albums?limit=20&offset=60", .refusal, "window end-uncertain"),
        ComposingCase(
            "not again where it showed a gap",
            full + [page(1, "limit=100", 0..<70, next: nil), page(1, "limit=69&offset=0", 0..<69, next: 70)],
            "artists/1/albums?limit=20&offset=20", .refusal, "window end-uncertain"),
        ComposingCase(
            "of a hundred, where the list may end before three hundred",
            [tracks(0, limit: 20), tracks(280, limit: 20)],
            "albums/1/tracks?limit=20&offset=20", .fetch("/v1/catalog/us/albums/1/tracks?limit=100&offset=0")),
        ComposingCase(
            "of three hundred, where the list is as long", [tracks(280, limit: 20)],
            "albums/1/tracks?limit=20&offset=300", .fetch("/v1/catalog/us/albums/1/tracks?limit=300&offset=300")),
    ]

    /// A page of a list of which 300 may be asked for.
    private static func tracks(_ offset: Int, limit: Int) -> Stored {
        Stored(
            "albums/1/tracks?limit=\(limit)&offset=\(offset)",
            document(items("songs", offset..<offset + limit), next: "albums/1/tracks?offset=\(offset + limit)"))
    }

    @Test(arguments: rows) func aLargerPageIsFetched(_ row: ComposingCase) throws { try row.check() }

    /// Sixty is the most that the origin was seen to take.
    @Test func ofAListThatNothingIsDocumentedOfItIsAsLargeAsWasSeen() throws {
        func page(_ query: String, _ places: Range<Int>, next: Int) -> Stored {
            Stored(
                "albums/1/genres?\(query)",
                document(items("genres", places), next: "albums/1/genres?offset=\(next)"))
        }
        let scene = StoredScene()
        try scene.store([page("limit=60", 0..<60, next: 60), page("limit=60&offset=60", 60..<120, next: 120)])
        let target = "/v1/catalog/us/albums/1/genres?limit=60&offset=120"
        #expect(try scene.ask("albums/1/genres?limit=20&offset=120") == .fetch(target))
    }

    /// Most lists are short, and a larger page that holds the end of one cannot be cut.
    @Test func inPlaceOfAFirstPageNothingLargerIsFetched() throws {
        let scene = StoredScene()
        try scene.store(Self.full)
        #expect(try scene.ask("artists/1/albums?limit=20") == .refusal)
    }

    /// Growth that brings nothing ends, however long, and begins again with other misses.
    @Test func largerPagesThatAreOfNoUseAreFetchedNoMore() throws {
        let scene = StoredScene()
        try scene.store(Self.full + [Self.first])
        let target = "artists/1/albums?limit=20&offset=20"
        var tries = 0
        while case .partial(let supplement) = try scene.compose(target), tries < 100 {
            scene.library.growth.begin(try #require(supplement.growth))
            tries += 1
        }
        #expect(tries == 4)
        #expect(try scene.refusal(target) == "growth growth-rests")
        #expect(try scene.ask(target, after: 9_000) == .refusal, "time alone changes nothing")
        let request = try StoredScene.request(target)
        for _ in 0..<14 { scene.library.note(miss: request, at: StoredScene.noon + 9_000) }
        #expect(try scene.ask(target, after: 9_000) == .refusal)
        scene.library.note(miss: request, at: StoredScene.noon + 9_000)
        #expect(try scene.ask(target, after: 9_000) == Self.larger)
    }
}
