import AppleMusic
import Testing

@testable import Compose

/// A form looks as its own answers show, or as each kind, storefront and language was seen to show
/// it, whether the documentation counts or not.
@Suite struct UnseenFormTests {
    /// Albums with their artists by ids, or whole with or without their own albums.
    private static func album(_ id: String, _ artist: String, genres: Bool = false) -> String {
        ComposeTests.album(id, [artist], genres ? [genre("2")] : [genreID("2")])
    }
    private static let withAlbums = resource("artists", "7", [relation("albums", [identifier("albums", "1")])])

    private static let item = Stored("albums/1", document(album("1", artistID("7"))))
    private static let batch = Stored("albums?ids=1,2", document(["1", "2"].map { album($0, artistID("7")) }))
    private static let itemWithArtists = Stored("albums/1?include=artists", document(album("1", artist("7"))))
    private static let batchWithArtists = Stored(
        "albums?ids=1,2&include=artists", document(["1", "2"].map { album($0, withAlbums) }))
    private static let itemWithGenres = Stored(
        "albums/1?include=genres", document(album("1", artistID("7"), genres: true)))
    private static let alikeEverywhere = [item, batch, shown("artists/7"), shown("artists?ids=7,8")]

    static let rows: [Row] = [
        Row(
            "one with its artists, out of several with theirs", alikeEverywhere + [batchWithArtists],
            "albums/1?include=artists", refused: "item form-never-seen"),
        Row(
            "several with their artists, out of those one by one",
            alikeEverywhere + [
                itemWithArtists, Stored("albums/2?include=artists", document(album("2", artist("7")))),
            ], "albums?ids=1,2&include=artists", refused: "batch form-never-seen"),
        Row(
            "two includes, out of each", [item, itemWithArtists, itemWithGenres, shown("artists?ids=7")],
            "albums/1?include=artists,genres", refused: "item form-never-seen"),
        Row("one without an include", [itemWithArtists, itemWithGenres], "albums/1", refused: "item form-never-seen"),
        Row(
            "a batch of one, out of one of several", [item, batch], "albums?ids=1", refused: "batch form-never-seen"),
        Row(
            "several, out of a batch of one", [item, shown("albums?ids=1"), shown("albums/2")], "albums?ids=1,2",
            refused: "batch form-never-seen"),
        Row(
            "several, out of one that was asked for twice",
            [item, shown("albums/2"), Stored("albums?ids=1,1", document([album("1", artistID("7"))]))],
            "albums?ids=1,2", refused: "batch form-never-seen"),
        Row(
            "one without parameters, out of one with some and of several without",
            alikeEverywhere + [
                batchWithArtists, Stored("albums?ids=1", document([album("1", artistID("7"))])),
                Stored(
                    "albums?ids=3&include=artists&relate[artists]=albums",
                    document([album("3", withAlbums)])),
            ], "albums?ids=2&include=artists", refused: "batch form-never-seen"),
        Row("a language that was not seen", [item, batch], "albums/1?l=de", refused: "item form-never-seen"),
        Row(
            "a language whose answers show more",
            [item, batch, Stored("albums?ids=1,2&l=de", document(["1", "2"].map { album($0, artist("7")) }))],
            "albums/1?l=de", refused: "item form-never-seen"),
        Row(
            "a storefront whose resources were seen in no two kinds of answers",
            [item, batch, Stored("/v1/catalog/gb/albums?ids=1,2", batch.body)], "/v1/catalog/gb/albums/1",
            refused: "item places-never-compared"),
        Row(
            "the order of several, out of another storefront",
            [item, batch] + ["1", "2"].map { Stored("/v1/catalog/gb/albums/\($0)", item.body) },
            "/v1/catalog/gb/albums?ids=1,2", refused: "batch order-unknown"),
    ]

    @Test(arguments: rows) func nothingIsConcludedOfIt(_ row: Row) throws { try row.check() }

    @Test(arguments: rows) func theDocumentationShowsNoForm(_ row: Row) throws {
        try row.check(StoredScene { $0.trustsDocumentation = true })
    }

    static let concluded: [Row] = [
        Row(
            "one in a language, as several are in it, and one is without", [item, batch, batchInGerman],
            "albums/1?l=de", .reduced(album("1", artistID("7")))),
        Row(
            "several with their artists, as one is with them, and others of several were",
            [
                item, batch, itemWithArtists,
                Stored(
                    "albums?ids=5,6&include=artists,genres",
                    document(["5", "6"].map { album($0, artist("7"), genres: true) })),
                Stored("albums/2?include=artists", document(album("2", artist("7")))),
            ], "albums?ids=1,2&include=artists", .answer(document(["1", "2"].map { album($0, artist("7")) }), .split)),
    ]
    private static let batchInGerman = Stored("albums?ids=1,2&l=de", batch.body)

    @Test(arguments: concluded) func aFormIsConcludedOfOnesThatEachShareSomethingWithIt(_ row: Row) throws {
        try row.check()
    }

    /// The first answer in a concluded form tests all conclusions about its type.
    @Test func anAnswerThatLooksOtherwiseEndsConclusions() throws {
        let scene = try StoredScene([Self.item, Self.batch, Self.batchInGerman])
        let german = try StoredScene.request("albums/1?l=de").form
        #expect(scene.library.forms.record(german, at: StoredScene.noon) != nil)
        let other = Stored("albums?ids=3&l=de", document(Self.album("3", artist("7"))), freshFor: 100)
        try scene.store(shown("albums?ids=3", artists: ["7"], genres: ["2"]))
        #expect(try scene.store(other) == .otherThanConcluded)
        #expect(scene.library.forms.record(german, at: StoredScene.noon + 99) == nil)
        #expect(scene.library.forms.record(german, at: StoredScene.noon + 100) != nil, "conclusions count again")
    }

    /// Any news had everything concluded anew.
    @Test func newsOfOneTypeLeavesConclusionsAboutOthers() throws {
        let scene = try StoredScene([Self.item, Self.batch])
        func changes() -> [ResourceClass: Int] { scene.library.forms.state.withLock { $0.changes } }
        let before = changes()
        try scene.store(shown("artists/7"))
        #expect(changes()[.albums] == before[.albums] && changes()[.artists] != before[.artists])
    }

    /// Conclusions were drawn from whichever forms were met first.
    @Test func formsThatAClientMakesUpHideNoOthers() throws {
        let scene = try StoredScene([Self.item, Self.batch, Self.batchInGerman])
        for number in 0..<2 * LearntForms.maxFamily { try scene.store(Stored("albums/1?x=\(number)", Self.item.body)) }
        let german = try StoredScene.request("albums/1?l=de").form
        #expect(scene.library.forms.record(german, at: StoredScene.noon) != nil)
    }

    /// The names in `include` did not count, and were kept of thousands of forms.
    @Test func longFormsAreNotKept() throws {
        let scene = try StoredScene([Self.item])
        let names = (0..<100).map { "name\($0)" }.joined(separator: ",")
        let form = try StoredScene.request("albums/1?include=\(names)").form
        #expect(form.chosenBytes > LearntForms.mostChosenBytes)
        #expect(scene.library.forms.record(form, at: StoredScene.noon) == nil)
        #expect(scene.library.forms.state.withLock { $0.concluded[form] == nil })
    }

    /// A look elsewhere is none at a form whose own answers are fresh.
    @Test func ownAnswersComeBeforeThoseOfOthers() throws {
        let scene = try StoredScene(Self.alikeEverywhere + [Self.batchWithArtists, Self.itemWithArtists])
        for target in ["albums/1?include=artists", "albums?ids=1,2&include=artists"] {
            let form = try StoredScene.request(target).form
            let record = try #require(scene.library.forms.record(form, at: StoredScene.noon))
            let albums = record.objects[.albums]?.relations.first?.elements[.artists]?.relations
            #expect(albums?.isEmpty == (form.shape.subject == .item), "\(target)")
        }
    }

    /// Four requests sufficed: one and several were alike without an include.
    @Test func nestedListsAreThoseOfOneOrOfSeveral() throws {
        let scene = try StoredScene(Self.alikeEverywhere + [Self.batchWithArtists, Self.itemWithArtists])
        #expect(
            try scene.ask("albums?ids=2,1&include=artists")
                == .reduced(["2", "1"].map { Self.album($0, Self.withAlbums) }))
        // Another album is held from the batch alone, whose artists have more.
        try scene.store(
            Stored("albums?ids=3,4&include=artists", document(["3", "4"].map { Self.album($0, Self.withAlbums) })))
        #expect(try scene.ask("albums/3?include=artists") == .reduced(Self.album("3", artist("7"))))
    }

    /// A wrong answer in one storefront is one in all.
    @Test func aWrongAnswerEndsItsShapeInAllStorefronts() throws {
        let scene = try StoredScene([Self.item, Self.batch, Stored("/v1/catalog/gb/albums/1", Self.item.body)])
        let (here, there) = (try StoredScene.request("albums/1"), try StoredScene.request("/v1/catalog/gb/albums/1"))
        scene.library.forms.switchOff(here.shape, until: StoredScene.noon + 50, at: StoredScene.noon)
        for request in [here, there] {
            #expect(scene.library.forms.record(request.form, at: StoredScene.noon + 49) == nil)
            #expect(scene.library.forms.reasonWithoutRecord(of: request.form, at: StoredScene.noon) == .formRests)
        }
        #expect(scene.library.forms.resting(at: StoredScene.noon + 49) == 1)
        try scene.store(shown("albums/3", artists: ["7"], genres: ["2"], after: 50))
        #expect(scene.library.forms.record(here.form, at: StoredScene.noon + 50) != nil)
        #expect(scene.library.forms.resting(at: StoredScene.noon + 50) == 0)
    }
}
