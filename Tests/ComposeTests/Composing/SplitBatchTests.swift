import Testing

@testable import Compose

/// Batches out of single answers and other batches.
@Suite struct SplitBatchTests {
    private static let one = shown("albums/1")
    private static let two = shown("albums/2")
    private static let forms = [Taught.album, Taught.albums]
    private static let none404 = shown("albums?ids=404")

    private static let ids = (100..<126).map(String.init)
    private static let manyArtists = ids.map { shown("artists/\($0)") }
    private static let artistForms = [Taught.artist, shown("artists?ids=90,91")]
    private static let expandedForms = [
        Taught.albumsWithArtists, Taught.albumWithArtists, Taught.artist, Taught.artists,
    ]
    private static let expandedTwo = shown("albums/2?include=artists", artists: ["3"])

    private static func albums(_ ids: String...) -> [String] { ids.map { album($0) } }
    private static func artists(_ ids: some Sequence<String>) -> String { "artists?ids=" + ids.joined(separator: ",") }

    /// Composed batches outlived the absences that an answer ended which may name anything.
    @Test func anAnswerThatMayNameAnythingEndsWhatWasComposedOfAbsences() throws {
        let scene = try StoredScene(Self.forms + [Self.one, Self.two])
        let count = scene.cache.contradictions
        try scene.store(Stored("albums/5", "{", after: 1))
        #expect(scene.cache.contradictions == count, "nothing is absent")
        try scene.store(Self.none404)
        #expect(try scene.ask("albums?ids=404,2,1") == .split(Self.albums("2", "1")))
        let before = scene.cache.contradictions
        try scene.store(Stored("albums/5", "{", after: 2))
        #expect(scene.cache.contradictions > before)
        #expect(try scene.ask("albums?ids=404,2,1") != .split(Self.albums("2", "1")))
    }

    static let answers: [Row] = [
        Row("a batch is in the order of its ids", forms + [one, two], "albums?ids=2,1", .split(albums("2", "1"))),
        Row("out of a larger batch", forms + [shown("albums?ids=1,2,3")], "albums?ids=3,1", .reduced(albums("3", "1"))),
        Row(
            "a batch of one needs no order to be known", [Taught.album, shown("albums?ids=9", artists: ["90"]), one],
            "albums?ids=1", .reduced(albums("1"))),
        Row("an absent item is left out", forms + [none404, one, two], "albums?ids=404,2,1", .split(albums("2", "1"))),
        Row(
            "an item found since is not absent",
            forms + [none404, Stored("albums?ids=404", document(album("404"))), two], "albums?ids=404,2",
            .split(albums("404", "2"))),
        Row(
            "a batch of nothing but what was not found is empty", forms + [none404, shown("albums?ids=4041")],
            "albums?ids=4041,404", .split([])),
        Row("an absent last item leaves no comma", forms + [none404, two], "albums?ids=2,404", .split(albums("2"))),
        Row(
            "more than is documented, where as many were answered before", artistForms + [shown(artists(ids))],
            artists(ids.reversed()), .reduced(ids.reversed().map { artist($0) })),
        Row(
            "as many as are documented", artistForms + manyArtists, artists(ids.prefix(25)),
            .split(ids.prefix(25).map { artist($0) })),
        Row(
            "a batch of several types comes out of single answers",
            [
                Stored(
                    "/v1/catalog/us?ids[albums]=9&ids[songs]=90",
                    document([album("9", [artistID("90")]), resource("songs", "90")])), Taught.album, shown("songs/90"),
                one, shown("songs/2"),
            ], "/v1/catalog/us?ids[albums]=1&ids[songs]=2", .split([album("1"), resource("songs", "2")])),
        Row(
            "a batch with elements comes out of single answers and single elements",
            [Taught.albumsWithArtists, Taught.albumWithArtists, Taught.artist, one, expandedTwo, shown("artists/7")],
            "albums?ids=1,2&include=artists", .split([album("1", [artist("7")]), album("2", [artist("3")])])),
    ]

    static let fetches: [Row] = [
        Row("the one that is missing is fetched", forms + [one], "albums?ids=1,2", .fetch("albums?ids=2")),
        Row("missing ones are fetched in their order", forms + [one], "albums?ids=5,1,3", .fetch("albums?ids=5,3")),
        Row(
            "missing elements are fetched alone", expandedForms + [one, shown("albums/2", artists: ["3"])],
            "albums?ids=1,2&include=artists", .fetch("artists?ids=3,7")),
        Row(
            "an item without its elements is fetched whole", expandedForms + [one, expandedTwo],
            "albums?ids=1,2&include=artists", .fetch("albums?ids=1&include=artists")),
        Row(
            "an absence that has run out is asked for again",
            forms + [shown("albums?ids=404", freshFor: 60), two], "albums?ids=404,2", after: 60,
            .fetch("albums?ids=404")),
        Row(
            "an absence in a stale batch is asked for again", forms + [shown("albums?ids=404", freshFor: 20), two],
            "albums?ids=404,2", after: 20, .fetch("albums?ids=404")),
        Row(
            "an absence in a batch that found others: it may be another name of one of these",
            forms + [shown("albums?ids=1,404"), two], "albums?ids=404,2", .fetch("albums?ids=404")),
        Row(
            "an absence before another form showed the resource",
            forms + [
                none404, two, Stored("albums?extend=artistUrl&ids=404,1", document(albums("404", "1")), after: 1),
            ],
            "albums?ids=404,2,1", .fetch("albums?ids=404,1")),
    ]

    static let refusals: [Row] = [
        Row("a batch of which nothing is stored", forms, "albums?ids=1,2", refused: "batch not-held"),
        Row("a form never seen", [Taught.album, one, two], "albums?ids=1,2", refused: "batch form-never-seen"),
        Row(
            "a batch of two before a batch showed an order",
            [Taught.album, shown("albums?ids=9,404", artists: ["90"]), one, two], "albums?ids=1,2",
            refused: "batch order-unknown"),
        Row("what is asked for twice", forms + [one, two], "albums?ids=1,2,1", refused: "batch duplicates-unknown"),
        Row("more than is documented", artistForms + manyArtists, artists(ids), refused: "batch too-many-ids"),
        Row(
            "a batch one of whose items is nowhere and the other lacks elements", expandedForms + [one],
            "albums?ids=1,2&include=artists", refused: "batch not-held"),
        Row(
            "a batch out of items before one resource was seen in both", [Taught.albums, one, two], "albums?ids=1,2",
            refused: "batch places-never-compared"),
    ]

    @Test(arguments: answers) func batchesAreMadeOfWhatIsThere(_ row: Row) throws { try row.check() }
    @Test(arguments: fetches) func whatIsMissingIsFetched(_ row: Row) throws { try row.check() }
    @Test(arguments: refusals) func uncertainBatchesAreRefused(_ row: Row) throws { try row.check() }

    @Test func whereNotFoundIsNotKeptAnAbsentResourceIsAskedForAgain() throws {
        var scene = try StoredScene(Self.forms + [shown("albums?ids=404,4041"), Self.two])
        #expect(try scene.ask("albums?ids=404,2", after: 0) == .split(Self.albums("2")))
        scene.notFoundFor = 0
        #expect(try scene.ask("albums?ids=404,2", after: 0) == .fetch("albums?ids=404"))
    }
}
