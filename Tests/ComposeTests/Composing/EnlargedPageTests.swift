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
            "for as much as half of it", full + [first], "artists/1/albums?limit=50&offset=20", larger),
        ComposingCase(
            "aligned to its size", full + [page(1, "limit=20&offset=130", 130..<150, next: 150)],
            "artists/1/albums?limit=20&offset=150", .fetch("/v1/catalog/us/artists/1/albums?limit=100&offset=100")),
        ComposingCase(
            "not where it is held, though its place was forgotten",
            full + [
                first,
                Stored(
                    "artists/1/albums?limit=100&offset=0", CutWindowTests.page(1, "", 0..<90, next: nil).body,
                    isNoted: false),
            ], "artists/1/albums?limit=20&offset=20", .refusal, "growth growth-gains-little"),
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
            "not where a page of the storefront had a gap",
            full + [page(9, "limit=20&offset=100", 100..<119, next: 120), first],
            "artists/1/albums?limit=20&offset=20", .refusal, "growth growth-meets-gaps"),
        ComposingCase(
            "where a page of another storefront had one",
            full + [
                Stored(
                    "/v1/catalog/jp/artists/9/albums?limit=20",
                    document(items("albums", 0..<19), next: "/v1/catalog/jp/artists/9/albums?offset=20")), first,
            ], "artists/1/albums?limit=20&offset=20", larger),
        ComposingCase(
            "not for more than half of it", full + [page(9, "limit=60", 0..<60, next: 60), first],
            "artists/1/albums?limit=51&offset=20", .refusal, "growth growth-gains-little"),
        ComposingCase(
            "not where the window would lie in two of them", full + [page(1, "limit=20&offset=70", 70..<90, next: 90)],
            "artists/1/albums?limit=20&offset=90", .refusal, "growth growth-gains-little"),
        ComposingCase(
            "where the client leaves the size to the origin", full + [first], "artists/1/albums?offset=20", larger),
        ComposingCase(
            "not where it is there, and ends before the window",
            full + [first, page(1, "limit=100", 0..<20, next: nil)],
            "artists/1/albums?limit=20&offset=20", .refusal, "window end-uncertain"),
    ]

    @Test(arguments: rows) func aLargerPageIsFetched(_ row: ComposingCase) throws { try row.check() }

    /// Sixty is the most that the origin was seen to take.
    @Test func ofAListThatNothingIsDocumentedOfItIsAsLargeAsWasSeen() throws {
        func page(_ query: String, _ places: Range<Int>, next: Int) -> Stored {
            Stored(
                "albums/1/genres?\(query)",
                document(items("genres", places), next: "albums/1/genres?offset=\(next)"))
        }
        let scene = StoredScene()
        try scene.store([
            page("limit=60", 0..<60, next: 60), page("limit=60&offset=60", 60..<120, next: 120),
        ])
        let target = "/v1/catalog/us/albums/1/genres?limit=60&offset=120"
        #expect(try scene.ask("albums/1/genres?limit=20&offset=120") == .fetch(target))
    }

    // MARK: In place of the first page

    /// More than a thousand places with their items: lists have no gaps.
    private static let withoutGaps =
        CutWindowTests.learnt + (0..<11).map { page(20 + $0, "limit=100", 0..<100, next: 100) }

    /// A scene in which so many of twenty lists were gone through.
    private func scene(_ stored: [Stored] = withoutGaps, walked: Int) throws -> StoredScene {
        let scene = StoredScene()
        try scene.store(stored)
        for number in 0..<20 {
            let request = try StoredScene.request("artists/\(100 + number)/albums?limit=20")
            scene.library.growth.note(miss: request)
            guard number < walked else { continue }
            let page = ListPage(
                list: try #require(request.listNumber), offset: 0, shape: request.shape,
                storefront: request.storefront)
            scene.library.growth.begin(.page(page), at: StoredScene.noon)
            scene.library.growth.note(use: .page(page))
        }
        return scene
    }

    @Test func whereClientsGoOnTheFirstPageIsTheLargest() throws {
        let scene = try scene(walked: 5)
        #expect(try scene.ask("artists/1/albums?limit=20") == Self.larger)
        #expect(try scene.ask("artists/1/albums?limit=20&offset=0") == Self.larger)
        #expect(try scene.ask("artists/1/albums") == Self.larger)
        #expect(try scene.ask("artists/1/albums?limit=20&offset=20") == .refusal, "it is not the first")
        #expect(try scene.ask("artists/1/albums?limit=60") == .refusal, "there is little more")
        #expect(try scene.ask("/v1/catalog/jp/artists/1/albums?limit=20") == .refusal, "elsewhere nothing is known")
    }

    @Test func whereFewGoOnItIsWhatTheyWant() throws {
        #expect(try scene(walked: 4).ask("artists/1/albums?limit=20") == .refusal)
    }

    /// The last page of a list cannot be cut otherwise, and most lists have but one.
    @Test func whereListsMayHaveGapsItIsWhatTheyWant() throws {
        #expect(try scene(Self.full, walked: 5).ask("artists/1/albums?limit=20") == .refusal)
        let gap = Self.page(9, "limit=20&offset=100", 100..<119, next: 120)
        #expect(try scene(Self.withoutGaps + [gap], walked: 5).ask("artists/1/albums?limit=20") == .refusal)
    }

    @Test func ofAListThatIsHeldNothingIsAskedForAgain() throws {
        let scene = try scene(walked: 5)
        try scene.store([Self.page(1, "limit=100", 0..<70, next: nil)])
        guard case .answer = try scene.ask("artists/1/albums?limit=20") else {
            Issue.record("it is cut out of the page")
            return
        }
    }

    /// Growth that brings nothing ends, and begins again.
    @Test func largerPagesThatAreOfNoUseAreFetchedNoMore() throws {
        let scene = StoredScene()
        try scene.store(Self.full + [Self.first])
        let target = "artists/1/albums?limit=20&offset=20"
        var tries = 0
        while case .partial(let supplement) = try scene.compose(target), tries < 100 {
            scene.library.growth.begin(try #require(supplement.growth), at: StoredScene.noon + 10)
            tries += 1
        }
        #expect(tries == 5)
        #expect(try scene.ask(target, after: 11 + GrowthLedger.rest) == Self.larger)
    }
}
