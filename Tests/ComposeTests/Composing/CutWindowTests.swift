import Cache
import Testing

@testable import Compose

/// Windows cut out of stored pages.
@Suite struct CutWindowTests {
    /// A window of artist 1's list.
    private static func window(_ places: Range<Int>, next: Int? = nil) -> Outcome {
        .window(items("albums", places), next: next.map { "artists/1/albums?offset=\($0)" })
    }

    private static let learnt = Taught.pages
    private static let twenty = page(1, "limit=20", 0..<20, next: 20)
    /// A page of artist 1's list under another name of the artist.
    private static let alias = Stored(
        "artists/771/albums?limit=20", document(items("albums", 0..<20), next: "artists/1/albums?offset=20"))
    private static let end = page(1, "limit=4", 0..<3)

    /// An artist with the first albums.
    private static func artist(_ id: Int, _ albums: [String], next: Int? = nil) -> String {
        let link = next.map { "/v1/catalog/us/artists/\(id)/albums?offset=\($0)" }
        return resource("artists", "\(id)", [relation("albums", albums, next: link)])
    }
    private static func inlined(_ id: Int, _ places: Range<Int>, next: Int? = nil) -> Stored {
        Stored("artists/\(id)?include=albums", document(artist(id, items("albums", places), next: next)))
    }
    /// Pages, and a list inside its parent: albums look alike in both.
    private static let inline = learnt + [inlined(9, 0..<25, next: 25)]
    /// The first three albums by their ids alone.
    private static let named = Stored(
        "artists/1", document(artist(1, (0..<3).map { identifier("albums", "\(1_000 + $0)") })))
    private static func genres(_ album: Int, _ query: String) -> Stored {
        Stored("albums/\(album)/genres\(query)", document(items("genres", 0..<2)))
    }

    private static func odd(_ album: Int, limit: Int) -> Stored {
        Stored("albums/\(album)/genres?limit=\(limit)", "{\"data\":[\(genre("34"))],\"meta\":{}}")
    }

    private static func album(_ id: Int, tracks: Int, counted: Int? = nil) -> Stored {
        let list = relation("tracks", items("songs", 0..<tracks))
        return Stored("albums/\(id)", document(resource("albums", "\(id)", trackCount: counted, [list])))
    }
    /// An album that shows tracks alike inside it and in a list of their own.
    private static let tracks = [
        album(9, tracks: 3), Stored("albums/9/tracks?limit=4", document(items("songs", 0..<3))),
    ]
    private static let ten = album(1, tracks: 10)
    private static func playlist(_ id: Int, tracks: Int, counted: Int? = nil) -> Stored {
        let list = relation("tracks", items("songs", 0..<tracks))
        return Stored("playlists/pl.\(id)", document(resource("playlists", "pl.\(id)", trackCount: counted, [list])))
    }
    /// A page that filled up.
    private static func filled(_ list: String, _ type: String) -> Stored {
        Stored("\(list)?limit=2", document(items(type, 0..<2), next: "\(list)?offset=3"))
    }
    private static let gap = filled("albums/8/tracks", "songs")
    private static let british = filled("/v1/catalog/gb/albums/8/tracks", "songs")
    private static let germanCutFirst = Stored(
        "/v1/catalog/de/albums/8/tracks?limit=3",
        document(items("songs", 0..<2), next: "/v1/catalog/de/albums/8/tracks?offset=3"))

    static let answers: [Row] = [
        Row("the middle of a page", learnt + [twenty], "artists/1/albums?limit=5&offset=3", window(3..<8, next: 8)),
        Row(
            "a page that was asked for with an offset", learnt + [page(1, "limit=20&offset=20", 20..<40, next: 40)],
            "artists/1/albums?limit=1&offset=39", window(39..<40, next: 40)),
        Row(
            "a window without a limit is as large as such pages were", learnt + [page(1, "limit=40", 0..<40, next: 40)],
            "artists/1/albums?offset=5", window(5..<30, next: 30)),
        Row(
            "a page without a limit answers what asks for as much", learnt + [page(1, "", 0..<25, next: 25)],
            "artists/1/albums?limit=25", window(0..<25, next: 25)),
        Row("an alias ends nothing", learnt + [alias, twenty], "artists/1/albums?limit=5", window(0..<5, next: 5)),
        Row("the last page answers a larger window", learnt + [end], "artists/1/albums?limit=20", window(0..<3)),
        Row("a page without a limit has the documented size", [end], "artists/1/albums", window(0..<3)),
        Row(
            "pages smaller than documented",
            [page(9, "", 0..<10, next: 10), page(8, "offset=3", 3..<13, next: 13), twenty], "artists/1/albums?offset=3",
            window(3..<13, next: 13)),
        Row(
            "a list inside its parent is its first page", inline + [inlined(1, 0..<25, next: 25)],
            "artists/1/albums?limit=10&offset=5", window(5..<15, next: 15)),
        Row("a list that ends inside its parent", inline + [inlined(1, 0..<3)], "artists/1/albums", window(0..<3)),
        Row("identifiers in a parent, items elsewhere", inline + [named], "artists/1/albums", window(0..<3)),
        Row(
            "the list of one of a batch",
            inline + [
                Stored(
                    "artists?ids=2,1&include=albums",
                    document([artist(2, items("albums", 50..<52)), artist(1, items("albums", 0..<3))]))
            ], "artists/1/albums", window(0..<3)),
        Row(
            "a window in a language, where its links were seen", learnt + [page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?l=de&limit=5", window(0..<5, next: 5)),
        Row(
            "a limit that is documented, though the origin was not seen to accept as much", learnt + [end],
            "artists/1/albums?limit=26", window(0..<3)),
        Row(
            "as much as may stand inside a parent, for a list that ends there", tracks + [ten],
            "albums/1/tracks?limit=300", .window(items("songs", 0..<10))),
        Row(
            "as many as the places that a parent counts", tracks + [album(1, tracks: 10, counted: 100)],
            "albums/1/tracks?limit=100", .window(items("songs", 0..<10))),
        Row(
            "one more than the items of the list, where lists fill up", tracks + [gap, ten], "albums/1/tracks?limit=11",
            .window(items("songs", 0..<10))),
        Row(
            "one more than the items of the list, where lists fill up in another storefront",
            tracks + [british, ten], "albums/1/tracks?limit=11", .window(items("songs", 0..<10))),
        Row(
            "an undocumented limit, once the origin accepted as much", [genres(9, "?limit=4"), genres(1, "?limit=3")],
            "albums/1/genres?limit=4", .window(items("genres", 0..<2))),
    ]

    /// The first albums of artist 1, out of a list inside it that has changed since.
    private static func changed(_ name: String, _ before: Stored, by body: String) -> Row {
        let now = Stored(before.target, body, isNoted: false)
        return Row(
            "a place where by now is \(name)", inline + [before, now], "artists/1/albums", refused: "window not-held")
    }

    static let refusals: [Row] = [
        Row(
            "a window of a page that the newer end of the list contradicts",
            learnt + [twenty, page(1, "limit=50&offset=10", 40..<45, after: 1)], "artists/1/albums?limit=5",
            refused: "window contradicted"),
        Row(
            "a window over two pages",
            learnt + [page(1, "limit=4", 0..<4, next: 4), page(1, "limit=4&offset=4", 4..<8, next: 8)],
            "artists/1/albums?limit=6", refused: "window page-too-short"),
        Row(
            "a page with a gap", learnt + [page(1, "limit=20", 0..<19, next: 20)], "artists/1/albums?limit=5",
            refused: "window page-has-gaps"),
        Row(
            "a list that went on before its limit, against all that is known of lists",
            learnt + [twenty, page(9, "limit=20", 0..<10, next: 10)], "artists/1/albums?limit=5",
            refused: "window form-rests"),
        Row(
            "a window after the end of a list", learnt + [page(1, "limit=4&offset=8", 0..<0)],
            "artists/1/albums?limit=20&offset=8", refused: "window window-empty"),
        Row(
            "less than may stand inside a parent, where lists of other kinds fill up",
            tracks + [filled("artists/8/albums", "albums"), filled("playlists/pl.8/tracks", "songs"), ten],
            "albums/1/tracks?limit=100", refused: "window end-uncertain"),
        Row(
            "where other storefronts cut lists in two ways", tracks + [british, germanCutFirst, ten],
            "albums/1/tracks?limit=11", refused: "window end-uncertain"),
        Row(
            "where the storefront cut the list first, with other parameters",
            tracks + [
                british, ten,
                Stored(
                    "albums/8/tracks?limit=3&relate[songs]=albums",
                    document(items("songs", 0..<2), next: "albums/8/tracks?offset=3")),
            ], "albums/1/tracks?limit=11", refused: "window end-uncertain"),
        Row(
            "the places that a playlist counts",
            [
                playlist(9, tracks: 3), playlist(1, tracks: 10, counted: 10),
                Stored("playlists/pl.9/tracks?limit=4", document(items("songs", 0..<3))),
            ], "playlists/pl.1/tracks?limit=50", refused: "window end-uncertain"),
        Row(
            "fewer than the places that a parent counts", tracks + [album(1, tracks: 10, counted: 101)],
            "albums/1/tracks?limit=100", refused: "window end-uncertain"),
        Row(
            "fewer than twice the items, as a parent may count those alone",
            tracks + [album(1, tracks: 10, counted: 10)], "albums/1/tracks?limit=19",
            refused: "window end-uncertain"),
        Row(
            "a list with more items than its parent counts", tracks + [album(1, tracks: 10, counted: 9)],
            "albums/1/tracks?limit=100", refused: "window end-uncertain"),
        Row(
            "an undocumented limit that the origin was never seen to accept", [genres(1, "?limit=3")],
            "albums/1/genres?limit=4", refused: "window limit-never-seen"),
        Row(
            "a limit above the documented most", learnt + [page(9, "limit=100", 0..<100, next: 100), end],
            "artists/1/albums?limit=101", refused: "window limit-never-seen"),
        Row(
            "a window without a limit where no page showed how large one is",
            [genres(9, "?limit=4"), genres(1, "?limit=3")], "albums/1/genres",
            refused: "window standard-limit-unknown"),
        Row(
            "a link for an offset that the origin was not seen to write", [page(9, "limit=4", 0..<4, next: 4), twenty],
            "artists/1/albums?limit=5&offset=3", refused: "window next-unknown"),
        Row(
            "a window in a language whose links were not seen", learnt + [page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?l=de&limit=5&offset=5", refused: "window next-unknown"),
        Row(
            "a page under an alias, whose next has another name", learnt + [alias], "artists/771/albums?limit=5",
            refused: "window next-unknown"),
        Row("a list of which nothing is stored", learnt, "artists/1/albums?limit=4", refused: "window not-held"),
        Row(
            "identifiers inside a parent whose items are nowhere",
            inline + [Stored("artists/1", document(artist(1, [identifier("albums", "77")])))], "artists/1/albums",
            refused: "window element-not-held"),
        Row(
            "a list inside its parent before its items were seen in both places",
            [page(9, "limit=4", 4..<8, next: 4), inlined(1, 10..<13)], "artists/1/albums",
            refused: "window places-never-compared"),
        changed(
            "another parent",
            Stored(
                "artists?ids=1,2&include=albums",
                document([artist(1, items("albums", 0..<3)), artist(2, items("albums", 50..<52))])),
            by: document(artist(2, items("albums", 50..<52)))),
        changed(
            "another relationship", inlined(1, 0..<3),
            by: document(resource("artists", "1", [relation("singles", items("albums", 0..<3))]))),
        changed("nothing", inlined(1, 0..<3), by: document(resource("artists", "1"))),
        Row(
            "an envelope with members of its own", [odd(9, limit: 4), odd(1, limit: 3)], "albums/1/genres?limit=4",
            refused: "window form-not-understood"),
    ]

    @Test(arguments: answers) func windowsAreCutOutOfOnePage(_ row: Row) throws { try row.check() }
    @Test(arguments: refusals) func uncertainWindowsAreRefused(_ row: Row) throws { try row.check() }

    /// A parent says which items there are, whatever else the items come from.
    @Test func pagesAndParentsThatNameTheItemsAreParts() throws {
        let scene = try StoredScene(Self.learnt + [Self.twenty])
        #expect(try scene.parts("artists/1/albums?limit=5") == ["artists/1/albums?limit=20"])
        let parts = try StoredScene(Self.inline + [Self.named]).parts("artists/1/albums")
        #expect(parts.contains("artists/1") && parts.count > 1, "\(parts)")
    }

    /// Numbers have 64 bits and are no proof.
    @Test func aPageOfAnotherListUnderTheSameNumberIsNotCut() throws {
        let scene = try StoredScene(Self.learnt + [page(2, "limit=20", 0..<20, next: 20)])
        let asked = try StoredScene.request("artists/1/albums?limit=5")
        let other = try StoredScene.target("artists/2/albums?limit=20")
        let number = try #require(asked.listNumber)
        scene.library.index.add(
            CacheKey(of: .none, scope: .shared, target: other.bytes), at: StoredScene.noon,
            [ResourceIndex.Entry(number, .page)])
        #expect(try scene.ask("artists/1/albums?limit=5") == .refusal)
        #expect(try scene.ask("artists/2/albums?limit=5") != .refusal)
    }

    /// Once the newer page was stale, windows were cut out of the list as it had been.
    @Test func aPageThatHasGoneStaleContradictedNothing() throws {
        let scene = try StoredScene(Self.learnt + [Self.twenty])
        #expect(try scene.ask("artists/1/albums?limit=5") == Self.window(0..<5, next: 5))
        // The page raises no floor, as where too many answers differ at once.
        var newer = page(1, "limit=50&offset=10", 40..<45, after: 1, freshFor: 5)
        newer.isNoted = false
        try scene.store(newer)
        let number = try #require(try StoredScene.request(newer.target).listNumber)
        scene.library.index.add(
            try scene.response(newer).key, at: StoredScene.noon + 1, [ResourceIndex.Entry(number, .page)])
        #expect(try scene.refusal("artists/1/albums?limit=5") == "window contradicted")
    }

    @Test func withNextCompletedALinkHasTheClientsOwnLimit() throws {
        let scene = try StoredScene(Self.learnt + [Self.twenty]) { $0.completesNext = true }
        let link = "artists/1/albums?limit=5&offset=8"
        #expect(try scene.ask("artists/1/albums?limit=5&offset=3") == .window(items("albums", 3..<8), next: link))
        #expect(try scene.ask("artists/1/albums?offset=3") == .refusal, "25 from 3 are not all there")
        // It is the origin's own link that is learnt.
        let request = try StoredScene.request("artists/1/albums?limit=7")
        let learnt = try StoredScene([Self.twenty]) { $0.completesNext = true }
        let record = try #require(learnt.library.forms.record(request.form, at: StoredScene.noon))
        #expect(record.lists.links.values.first?.write(offset: 8, request).map(below) == "artists/1/albums?offset=8")
        // A link in the file, from an earlier run, may have been written by the origin or by the
        // proxy. This one has nothing that could be completed, and so it stays as it came.
        let complete = try StoredScene([page(1, "", 0..<25, next: 25)]) { $0.completesNext = true }
        let form = try StoredScene.request("artists/1/albums").form
        #expect(complete.library.forms.record(form, at: StoredScene.noon) == nil)
    }

    // MARK: The ends of lists

    /// A thousand places and an item on each, in as many lists as that takes.
    private static let closed = learnt + (10..<20).map { page($0, "limit=100", 0..<100, next: 100) }

    /// After a thousand places without a gap the last page of any list was cut, and one with a gap
    /// at offset 2 gave the items after it for the wrong places.
    @Test func otherListsWithoutGapsProveNothing() throws {
        let withGap = document(items("albums", 0..<2) + items("albums", 3..<14))
        let scene = try StoredScene(Self.closed + [shownArtist, Stored("artists/1/albums?limit=20", withGap)])
        let proof = "artists/1/albums?limit=12&offset=0"
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == .fetch(proof))
        // An origin that fills up spans 13 places for 12 items.
        try scene.store(
            Stored(
                proof, document(items("albums", 0..<2) + items("albums", 3..<13), next: "artists/1/albums?offset=13")))
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == .refusal)
    }

    @Test func aFullLastPageOfAnOriginThatCutsFirstIsCutAnywhere() throws {
        let short = page(9, "limit=20&offset=100", 100..<119, next: 120)
        let scene = try StoredScene(Self.closed + [short, page(1, "limit=13", 0..<13)])
        #expect(try scene.ask("artists/1/albums?limit=4&offset=10") == Self.window(10..<13))
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == .refusal, "1 may be an alias of the artist")
        try scene.store(shownArtist)
        #expect(try scene.ask("artists/1/albums?limit=4&offset=4") == Self.window(4..<8, next: 8))
    }
}
