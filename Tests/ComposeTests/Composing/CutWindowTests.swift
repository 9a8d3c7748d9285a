import Cache
import Testing

@testable import Compose

/// Windows cut out of stored pages.
@Suite struct CutWindowTests {
    /// A page of an artist's albums, whose ids are those of their places.
    static func page(
        _ artist: Int, _ query: String, _ places: Range<Int>, next: Int?, freshFor: Int = 10_000
    ) -> Stored {
        let path = "artists/\(artist)/albums"
        return Stored(
            path + (query.isEmpty ? "" : "?" + query),
            document(items("albums", places), next: next.map { "\(path)?offset=\($0)" }), freshFor: freshFor)
    }

    /// A window of artist 1's list, which goes on at `next`.
    private static func window(_ places: Range<Int>, next: Int?) -> Outcome {
        .window(items("albums", places), next: next.map { "artists/1/albums?offset=\($0)" })
    }

    /// How links are written, and that pages have 25 places.
    static let learnt = [
        page(9, "limit=4", 0..<4, next: 4), page(9, "limit=4&offset=4", 4..<8, next: 8),
        page(9, "", 0..<25, next: 25), page(9, "offset=25", 25..<50, next: 50),
    ]
    private static let twenty = page(1, "limit=20", 0..<20, next: 20)
    private static let end = page(1, "limit=4", 0..<3, next: nil)

    /// An artist with the first albums.
    private static func artist(_ id: Int, _ albums: [String], next: Int?) -> String {
        let link = next.map { "/v1/catalog/us/artists/\(id)/albums?offset=\($0)" }
        return resource("artists", "\(id)", [relation("albums", albums, next: link)])
    }
    /// With the list's own pages: albums look alike in both.
    private static let inline = Stored(
        "artists/9?include=albums", document(artist(9, items("albums", 0..<25), next: 25)))
    private static func genres(_ album: Int, _ query: String, _ places: Range<Int>) -> Stored {
        Stored("albums/\(album)/genres\(query)", document(items("genres", places)))
    }

    /// An album that shows tracks alike inside it and in a list of their own.
    private static let tracks = [
        Stored("albums/9", document(resource("albums", "9", [relation("tracks", items("songs", 0..<3))]))),
        Stored("albums/9/tracks?limit=4", document(items("songs", 0..<3))),
    ]
    /// A page that filled up.
    private static func filled(_ list: String, _ type: String) -> Stored {
        Stored("\(list)?limit=2", document(items(type, 0..<2), next: "\(list)?offset=3"))
    }
    private static let gap = filled("albums/8/tracks", "songs")
    private static let tenTracks = Stored(
        "albums/1", document(resource("albums", "1", [relation("tracks", items("songs", 0..<10))])))

    static let answers: [ComposingCase] = [
        ComposingCase(
            "the middle of a page", learnt + [twenty], "artists/1/albums?limit=5&offset=3", window(3..<8, next: 8)),
        ComposingCase(
            "a page that was asked for with an offset", learnt + [page(1, "limit=20&offset=20", 20..<40, next: 40)],
            "artists/1/albums?limit=1&offset=39", window(39..<40, next: 40)),
        ComposingCase(
            "a window without a limit is as large as such pages were",
            learnt + [page(1, "limit=40", 0..<40, next: 40)], "artists/1/albums?offset=5", window(5..<30, next: 30)),
        ComposingCase(
            "a page without a limit answers what asks for as much", learnt + [page(1, "", 0..<25, next: 25)],
            "artists/1/albums?limit=25", window(0..<25, next: 25)),
        ComposingCase(
            "the last page answers a larger window", learnt + [end], "artists/1/albums?limit=20",
            window(0..<3, next: nil)),
        ComposingCase(
            "until a page showed another size, one without a limit is as documented", [end], "artists/1/albums",
            window(0..<3, next: nil)),
        ComposingCase(
            "a page that was learnt to be smaller than documented",
            [
                page(9, "", 0..<10, next: 10), page(8, "offset=3", 3..<13, next: 13),
                page(1, "limit=20", 0..<20, next: 20),
            ], "artists/1/albums?offset=3", window(3..<13, next: 13)),
        ComposingCase(
            "a list inside its parent is its first page",
            learnt + [
                inline, Stored("artists/1?include=albums", document(artist(1, items("albums", 0..<25), next: 25))),
            ],
            "artists/1/albums?limit=10&offset=5", window(5..<15, next: 15)),
        ComposingCase(
            "a list that ends inside its parent",
            learnt + [
                inline, Stored("artists/1?include=albums", document(artist(1, items("albums", 0..<3), next: nil))),
            ],
            "artists/1/albums", window(0..<3, next: nil)),
        ComposingCase(
            "identifiers inside a parent with items from elsewhere",
            learnt + [
                inline,
                Stored(
                    "artists/1", document(artist(1, (0..<3).map { identifier("albums", "\(1_000 + $0)") }, next: nil))),
            ], "artists/1/albums", window(0..<3, next: nil)),
        ComposingCase(
            "the list of one of a batch",
            learnt + [
                inline,
                Stored(
                    "artists?ids=2,1&include=albums",
                    document([
                        artist(2, items("albums", 50..<52), next: nil), artist(1, items("albums", 0..<3), next: nil),
                    ])),
            ], "artists/1/albums", window(0..<3, next: nil)),
        ComposingCase(
            "a window in a language, where its links were seen", learnt + [page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?l=de&limit=5", window(0..<5, next: 5)),
        ComposingCase(
            "a limit that is documented, though the origin was not seen to accept as much", learnt + [end],
            "artists/1/albums?limit=26", window(0..<3, next: nil)),
        ComposingCase(
            "as much as may stand inside a parent, for a list that ends there",
            tracks + [tenTracks], "albums/1/tracks?limit=300", .window(items("songs", 0..<10))),
        ComposingCase(
            "one more than the items of the list, where lists fill up", tracks + [gap, tenTracks],
            "albums/1/tracks?limit=11", .window(items("songs", 0..<10))),
        ComposingCase(
            "a limit that nothing is documented of, once the origin accepted as much",
            [genres(9, "?limit=4", 0..<2), genres(1, "?limit=3", 0..<2)], "albums/1/genres?limit=4",
            .window(items("genres", 0..<2))),
    ]

    /// It begins in the middle of an older page, and ends the list.
    private static var newerEnd: Stored {
        var page = page(1, "limit=50&offset=10", 40..<45, next: nil)
        page.after = 1
        return page
    }

    static let refusals: [ComposingCase] = [
        ComposingCase(
            "a window of a page that the newer end of the list contradicts", learnt + [twenty, newerEnd],
            "artists/1/albums?limit=5", .refusal, "window contradicted"),
        ComposingCase(
            "a window that begins before the page", learnt + [page(1, "limit=20&offset=20", 20..<40, next: 40)],
            "artists/1/albums?limit=5&offset=19", .refusal, "window page-not-held"),
        ComposingCase(
            "a window over two pages",
            learnt + [page(1, "limit=4", 0..<4, next: 4), page(1, "limit=4&offset=4", 4..<8, next: 8)],
            "artists/1/albums?limit=6", .refusal, "window page-too-short"),
        ComposingCase(
            "a smaller window of the last page", learnt + [end], "artists/1/albums?limit=2", .refusal,
            "window end-uncertain"),
        ComposingCase(
            "a page with a gap", learnt + [page(1, "limit=20", 0..<19, next: 20)], "artists/1/albums?limit=5", .refusal,
            "window page-has-gaps"),
        ComposingCase(
            "a list that went on before its limit, against all that is known of lists",
            learnt + [twenty, page(9, "limit=20", 0..<10, next: 10)], "artists/1/albums?limit=5", .refusal,
            "window form-rests"),
        ComposingCase(
            "what lies behind the end of a list", learnt + [page(1, "limit=4&offset=8", 0..<0, next: nil)],
            "artists/1/albums?limit=20&offset=8", .refusal, "window window-empty"),
        ComposingCase(
            "as many as the items of a list, where places may follow the last one", tracks + [gap, tenTracks],
            "albums/1/tracks?limit=10", .refusal, "window end-uncertain"),
        ComposingCase(
            "less than may stand inside a parent, where lists of other kinds fill up",
            tracks + [filled("artists/8/albums", "albums"), filled("playlists/pl.8/tracks", "songs"), tenTracks],
            "albums/1/tracks?limit=100", .refusal, "window end-uncertain"),
        ComposingCase(
            "less than may stand inside a parent, where lists may be cut first", tracks + [tenTracks],
            "albums/1/tracks?limit=100", .refusal, "window end-uncertain"),
        ComposingCase(
            "the span of a list inside its parent as a limit, where it filled up",
            learnt + [
                inline, Stored("artists/1?include=albums", document(artist(1, items("albums", 0..<25), next: 30))),
            ], "artists/1/albums?limit=30", .refusal, "window page-has-gaps"),
        ComposingCase(
            "a limit that nothing is documented of, and that the origin was never seen to accept",
            [genres(1, "?limit=3", 0..<2)], "albums/1/genres?limit=4", .refusal, "window limit-never-seen"),
        ComposingCase(
            "a limit above the documented most", learnt + [page(9, "limit=100", 0..<100, next: 100), end],
            "artists/1/albums?limit=101", .refusal, "window limit-never-seen"),
        ComposingCase(
            "a window without a limit where no page showed how large one is",
            [genres(9, "?limit=4", 0..<2), genres(1, "?limit=3", 0..<2)], "albums/1/genres", .refusal,
            "window standard-limit-unknown"),
        ComposingCase(
            "a link for an offset that the origin was not seen to write", [page(9, "limit=4", 0..<4, next: 4), twenty],
            "artists/1/albums?limit=5&offset=3", .refusal, "window next-unknown"),
        ComposingCase(
            "a window in a language whose links were not seen", learnt + [page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?l=de&limit=5&offset=5", .refusal, "window next-unknown"),
        ComposingCase(
            "a list of which nothing is stored", learnt, "artists/1/albums?limit=4", .refusal, "window not-held"),
        ComposingCase(
            "a relationship for a view of the same name",
            learnt + [twenty, Stored("artists/9/view/albums?limit=5", document(items("albums", 0..<3)))],
            "artists/1/view/albums?limit=5", .refusal, "window not-held"),
        ComposingCase(
            "a smaller window of a list that ends inside its parent",
            learnt + [
                inline, Stored("artists/1?include=albums", document(artist(1, items("albums", 0..<3), next: nil))),
            ],
            "artists/1/albums?limit=20", .refusal, "window end-uncertain"),
        ComposingCase(
            "identifiers inside a parent whose items are nowhere",
            learnt + [inline, Stored("artists/1", document(artist(1, [identifier("albums", "77")], next: nil)))],
            "artists/1/albums", .refusal, "window element-not-held"),
        ComposingCase(
            "a list inside its parent before its items were seen in both places",
            [
                page(9, "limit=4", 4..<8, next: 4),
                Stored("artists/1?include=albums", document(artist(1, items("albums", 10..<13), next: nil))),
            ], "artists/1/albums", .refusal, "window places-never-compared"),
        ComposingCase(
            "a place that was noted of an answer which has another parent there by now",
            learnt + [
                inline,
                Stored(
                    "artists?ids=1,2&include=albums",
                    document([
                        artist(1, items("albums", 0..<3), next: nil), artist(2, items("albums", 50..<52), next: nil),
                    ])),
                Stored(
                    "artists?ids=1,2&include=albums", document(artist(2, items("albums", 50..<52), next: nil)),
                    isNoted: false),
            ], "artists/1/albums", .refusal, "window not-held"),
        ComposingCase(
            "a place that was noted of an answer which has another relationship there by now",
            learnt + [
                inline, Stored("artists/1?include=albums", document(artist(1, items("albums", 0..<3), next: nil))),
                Stored(
                    "artists/1?include=albums",
                    document(resource("artists", "1", [relation("singles", items("albums", 0..<3))])),
                    isNoted: false),
            ], "artists/1/albums", .refusal, "window not-held"),
        ComposingCase(
            "a place that was noted of an answer which has nothing there by now",
            learnt + [
                inline, Stored("artists/1?include=albums", document(artist(1, items("albums", 0..<3), next: nil))),
                Stored("artists/1?include=albums", document(resource("artists", "1")), isNoted: false),
            ], "artists/1/albums", .refusal, "window not-held"),
        ComposingCase(
            "an envelope with members of its own",
            [
                Stored("albums/9/genres?limit=4", "{\"data\":[\(genre("34"))],\"meta\":{}}"),
                Stored("albums/1/genres?limit=3", "{\"data\":[\(genre("34"))],\"meta\":{}}"),
            ], "albums/1/genres?limit=4", .refusal, "window form-not-understood"),
    ]

    @Test(arguments: answers) func windowsAreCutOutOfOnePage(_ row: ComposingCase) throws { try row.check() }
    @Test(arguments: refusals) func uncertainWindowsAreRefused(_ row: ComposingCase) throws { try row.check() }

    @Test func aWindowIsMadeOfOnePage() throws {
        let scene = StoredScene()
        try scene.store(Self.learnt + [Self.twenty])
        let parts = try scene.answer("artists/1/albums?limit=5").parts
        #expect(
            parts.map { String(decoding: $0.response.key.target, as: UTF8.self) } == [
                "/v1/catalog/us/artists/1/albums?limit=20"
            ])
    }

    /// It says which items there are, whatever else the items come from.
    @Test func theParentThatNamesTheItemsIsAPart() throws {
        let scene = StoredScene()
        let named = (0..<3).map { identifier("albums", "\(1_000 + $0)") }
        try scene.store(Self.learnt + [Self.inline, Stored("artists/1", document(Self.artist(1, named, next: nil)))])
        let parts = try scene.answer("artists/1/albums").parts
        let targets = parts.map { String(decoding: $0.response.key.target, as: UTF8.self) }
        #expect(targets.contains("/v1/catalog/us/artists/1") && targets.count > 1, "\(targets)")
    }

    /// Numbers have 64 bits and are no proof.
    @Test func aPageOfAnotherListUnderTheSameNumberIsNotCut() throws {
        let scene = StoredScene()
        try scene.store(Self.learnt + [Self.page(2, "limit=20", 0..<20, next: 20)])
        let asked = try StoredScene.request("artists/1/albums?limit=5")
        let other = try StoredScene.target("artists/2/albums?limit=20")
        let number = try #require(asked.listNumber)
        scene.library.index.add(
            CacheKey(scope: .shared, target: other.bytes), at: StoredScene.noon, [ResourceIndex.Entry(number, .page)])
        #expect(try scene.ask("artists/1/albums?limit=5") == .refusal)
        #expect(try scene.ask("artists/2/albums?limit=5") != .refusal)
    }

    @Test func withNextCompletedALinkHasTheClientsOwnLimit() throws {
        let scene = StoredScene { $0.completesNext = true }
        try scene.store(Self.learnt + [Self.twenty])
        let link = "artists/1/albums?limit=5&offset=8"
        #expect(try scene.ask("artists/1/albums?limit=5&offset=3") == .window(items("albums", 3..<8), next: link))
        #expect(try scene.ask("artists/1/albums?offset=3") == .refusal, "25 from 3 are not all there")
    }

    @Test func withNextCompletedTheOriginsOwnLinkIsLearnt() throws {
        let scene = StoredScene { $0.completesNext = true }
        try scene.store(Self.twenty)
        let request = try StoredScene.request("artists/1/albums?limit=7")
        let record = try #require(scene.library.forms.record(request.shape, at: StoredScene.noon))
        let link = try #require(record.lists.links.values.first?.write(offset: 8, request))
        #expect(String(decoding: link, as: UTF8.self) == "/v1/catalog/us/artists/1/albums?offset=8")
    }

    /// A link in the file, from an earlier run, may have been written by the origin or by the
    /// proxy.
    @Test func aLinkThatMayHaveBeenCompletedTeachesNothing() throws {
        let scene = StoredScene { $0.completesNext = true }
        // The link has nothing that could be completed, and so it stays as it came.
        let path = "artists/1/albums"
        try scene.store(Stored(path, document(items("albums", 0..<25), next: "\(path)?offset=25")))
        #expect(scene.library.forms.record(try StoredScene.request(path).shape, at: StoredScene.noon) == nil)
    }

    @Test func withoutComposingWindowsAreCutAllTheSame() throws {
        let scene = StoredScene { $0.compose = .off }
        try scene.store(Self.learnt + [Self.twenty])
        #expect(try scene.ask("artists/1/albums?limit=5") == Self.window(0..<5, next: 5))
    }

    // MARK: The ends of lists

    /// A thousand places and an item on each, in as many lists as that takes.
    private static let closed =
        learnt + (10..<20).map { page($0, "limit=100", 0..<100, next: 100) }
    /// A page that was cut first.
    private static let short = page(9, "limit=20&offset=100", 100..<119, next: 120)

    /// After a thousand places without a gap the last page of any list was cut, and one with a gap
    /// at offset 2 gave the items after it for the wrong places.
    @Test func otherListsWithoutGapsProveNothing() throws {
        let scene = StoredScene()
        let withGap = document(items("albums", 0..<2) + items("albums", 3..<14))
        try scene.store(Self.closed + [Stored("artists/1/albums?limit=20", withGap)])
        let proof = "/v1/catalog/us/artists/1/albums?limit=12&offset=0"
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == .fetch(proof))
        // An origin that fills up spans 13 places for 12 items.
        try scene.store(
            Stored(
                proof, document(items("albums", 0..<2) + items("albums", 3..<13), next: "artists/1/albums?offset=13")))
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == .refusal)
    }

    @Test func oneItemLessProvesThePlacesOfAllBeforeTheLast() throws {
        let scene = StoredScene()
        try scene.store(
            Self.closed + [
                Self.page(1, "limit=20", 0..<13, next: nil), Self.page(1, "limit=12&offset=0", 0..<12, next: 12),
            ])
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == Self.window(4..<8, next: 8))
        #expect(try scene.ask("artists/1/albums?limit=4&offset=8") == Self.window(8..<12, next: 12))
        #expect(try scene.ask("artists/1/albums?limit=4&offset=10") == .refusal, "the last item's place is not shown")
    }

    @Test func aFullLastPageOfAnOriginThatCutsFirstIsCutAnywhere() throws {
        let scene = StoredScene()
        try scene.store(Self.closed + [Self.short, Self.page(1, "limit=13", 0..<13, next: nil)])
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == Self.window(4..<8, next: 8))
        #expect(try scene.ask("artists/1/albums?limit=4&offset=10") == Self.window(10..<13, next: nil))
    }
}
