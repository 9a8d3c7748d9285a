import Testing

@testable import Compose

/// Larger pages that are fetched where clients go through a list.
@Suite struct EnlargedPageTests {
    /// More than a hundred places, and an item on each.
    private static let full = Taught.pages + [page(9, "limit=50&offset=50", 50..<100, next: 100)]
    private static let first = page(1, "limit=20", 0..<20, next: 20)
    private static let larger = Outcome.fetch("artists/1/albums?limit=100&offset=0")
    /// The list ends on a page of a hundred.
    private static let ending = full + [page(1, "limit=100", 0..<70)]
    private static let second = "artists/1/albums?limit=20&offset=20"

    static let rows: [Row] = [
        Row("where a page ended and the next one is asked for", full + [first], second, larger),
        Row("where two more windows are on it", full + [first], "artists/1/albums?limit=26&offset=20", larger),
        Row(
            "not where one is", full + [first], "artists/1/albums?limit=27&offset=20",
            refused: "growth growth-gains-little"),
        Row(
            "aligned to its size", full + [page(1, "limit=20&offset=120", 120..<140, next: 140)],
            "artists/1/albums?limit=20&offset=140", .fetch("artists/1/albums?limit=100&offset=100")),
        Row(
            "not where it is held, though its place was forgotten",
            full + [first, Stored("artists/1/albums?limit=100&offset=0", page(1, "", 0..<90).body, isNoted: false)],
            second, refused: "growth growth-gains-little"),
        Row(
            "not where lists like it have ended on such a page",
            Taught.pages + [page(8, "limit=100", 0..<60), page(7, "limit=100", 0..<70), first], second,
            refused: "growth growth-gains-little"),
        Row(
            "with the language of the list",
            full + [page(9, "l=de&limit=20&offset=20", 20..<40, next: 40), page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?l=de&limit=20&offset=20", .fetch("artists/1/albums?l=de&limit=100&offset=0")),
        Row(
            "not where the list's next has another id of its owner",
            full + [
                Stored(
                    "artists/771/albums?limit=20", document(items("albums", 0..<20), next: "artists/1/albums?offset=20")
                )
            ], "artists/771/albums?limit=20&offset=20", refused: "growth next-unknown"),
        Row("not at a jump", full + [first], "artists/1/albums?limit=20&offset=40", refused: "window page-not-held"),
        Row("not where no page is there", full, second, refused: "window not-held"),
        Row(
            "not by a page that has gone stale", full + [page(1, "limit=20", 0..<20, next: 20, freshFor: 50)], second,
            after: 50, refused: "window not-held"),
        Row("from the first step on", Taught.pages + [first], second, larger),
        Row(
            "not where pages of the storefront have gaps",
            full + [page(9, "limit=20&offset=100", 100..<118, next: 120), first], second,
            refused: "growth growth-meets-gaps"),
        Row(
            "not where the window would lie in two of them", full + [page(1, "limit=20&offset=70", 70..<90, next: 90)],
            "artists/1/albums?limit=20&offset=90", refused: "growth growth-gains-little"),
        Row("where the client leaves the size to the origin", full + [first], "artists/1/albums?offset=20", larger),
        Row(
            "not where it is there, and ends before the window", full + [first, page(1, "limit=100", 0..<20)], second,
            refused: "window end-uncertain"),
        Row(
            "of a list that ends it is what proves the places of its items",
            full + [first, page(1, "limit=100", 0..<70)], second, .fetch("artists/1/albums?limit=69&offset=0")),
        Row(
            "where pages are cut first, for its last window too",
            full + [shownArtist, page(9, "limit=20&offset=100", 100..<119, next: 120), page(1, "limit=100", 0..<70)],
            "artists/1/albums?limit=20&offset=60", .fetch("artists/1/albums?limit=70&offset=0")),
        Row(
            "not again where it showed a gap", ending + [page(1, "limit=69&offset=0", 0..<69, next: 70)], second,
            refused: "window end-uncertain"),
        Row(
            "of a hundred, where the list may end before three hundred",
            [listed("tracks", "limit=20&offset=0", 0..<20), listed("tracks", "limit=20&offset=280", 280..<300)],
            "albums/1/tracks?limit=20&offset=20", .fetch("albums/1/tracks?limit=100&offset=0")),
        Row(
            "of three hundred, where the list is as long", [listed("tracks", "limit=20&offset=280", 280..<300)],
            "albums/1/tracks?limit=20&offset=300", .fetch("albums/1/tracks?limit=300&offset=300")),
        Row(
            "as large as the origin was seen to take, where nothing is documented",
            [listed("genres", "limit=60", 0..<60), listed("genres", "limit=60&offset=60", 60..<120)],
            "albums/1/genres?limit=20&offset=120", .fetch("albums/1/genres?limit=60&offset=120")),
        // Most lists are short, and a larger page that holds the end of one cannot be cut.
        Row("not in place of a first page", full, "artists/1/albums?limit=20", refused: "window not-held"),
    ]

    /// A page of an album's list: of tracks 300 may be asked for, and of genres nothing is
    /// documented.
    private static func listed(_ list: String, _ query: String, _ places: Range<Int>) -> Stored {
        let next = "albums/1/\(list)?offset=\(places.upperBound)"
        return Stored(
            "albums/1/\(list)?\(query)", document(items(list == "tracks" ? "songs" : list, places), next: next))
    }

    @Test(arguments: rows) func aLargerPageIsFetched(_ row: Row) throws { try row.check() }

    /// They begin again with other misses.
    @Test func largerPagesThatAreOfNoUseAreFetchedNoMore() throws {
        let scene = try StoredScene(Self.full + [Self.first])
        #expect(try scene.growUntilItRests(Self.second) == 4)
        #expect(try scene.refusal(Self.second) == "growth growth-rests")
        let request = try StoredScene.request(Self.second)
        for _ in 0..<14 { scene.library.note(miss: request, at: StoredScene.noon + 10) }
        #expect(try scene.ask(Self.second) == .refusal)
        scene.library.note(miss: request, at: StoredScene.noon + 10)
        #expect(try scene.ask(Self.second) == Self.larger)
    }
}
