import Testing

@testable import Compose

/// Batches out of single answers and other batches.
@Suite struct SplitBatchTests {
    private static let one = Stored("albums/1", document(album("1")))
    private static let two = Stored("albums/2", document(album("2")))
    private static let forms = [Taught.album, Taught.albums]

    private static let none404 = Stored("albums?ids=1,404", document(album("1")))
    private static let manyIDs = (100..<126).map(String.init)
    private static let manyArtists = manyIDs.map { Stored("artists/\($0)", document(artist($0))) }
    private static let artistForms = [
        Taught.artist, Stored("artists?ids=90,91", document([artist("90"), artist("91")])),
    ]

    static let answers: [ComposingCase] = [
        ComposingCase(
            "single answers make a batch", forms + [one, two], "albums?ids=1,2", .split([album("1"), album("2")])),
        ComposingCase(
            "a batch is in the order of its ids", forms + [one, two], "albums?ids=2,1",
            .split([album("2"), album("1")])),
        ComposingCase(
            "a larger batch answers a smaller one in its order",
            forms + [Stored("albums?ids=1,2,3", document([album("1"), album("2"), album("3")]))], "albums?ids=3,1",
            .reduced([album("3"), album("1")])),
        ComposingCase(
            "two batches make a third",
            forms + [
                Stored("albums?ids=1,3", document([album("1"), album("3")])),
                Stored("albums?ids=2", document(album("2"))),
            ], "albums?ids=3,2,1", .split([album("3"), album("2"), album("1")])),
        ComposingCase(
            "a batch of one needs no order to be known",
            [Taught.album, Stored("albums?ids=9", document(album("9", [artistID("90")]))), one], "albums?ids=1",
            .reduced(album("1"))),
        ComposingCase(
            "what a fresh batch did not find is left out", forms + [none404, two], "albums?ids=404,2,1",
            .split([album("2"), album("1")])),
        ComposingCase(
            "what was found meanwhile is not absent",
            forms + [none404, Stored("albums?ids=404", document(album("404"))), two],
            "albums?ids=404,2", .split([album("404"), album("2")])),
        ComposingCase(
            "a batch of nothing but what was not found is empty", forms + [none404], "albums?ids=404", .reduced([])),
        ComposingCase(
            "what was not found first does not leave a comma behind", forms + [none404, two], "albums?ids=2,404",
            .split([album("2")])),
        ComposingCase(
            "more than is documented, where as many were answered before",
            artistForms + [
                Stored("artists?ids=" + manyIDs.joined(separator: ","), document(manyIDs.map { artist($0) }))
            ], "artists?ids=" + manyIDs.reversed().joined(separator: ","),
            .reduced(manyIDs.reversed().map { artist($0) })),
        ComposingCase(
            "as many as are documented", artistForms + manyArtists,
            "artists?ids=" + manyIDs.prefix(25).joined(separator: ","), .split(manyIDs.prefix(25).map { artist($0) })),
        ComposingCase(
            "a batch of several types comes out of single answers",
            [
                Stored(
                    "/v1/catalog/us?ids[albums]=9&ids[songs]=90",
                    document([album("9", [artistID("90")]), resource("songs", "90")])),
                Taught.album, Stored("songs/90", document(resource("songs", "90"))), one,
                Stored("songs/2", document(resource("songs", "2"))),
            ], "/v1/catalog/us?ids[albums]=1&ids[songs]=2",
            .split([album("1"), resource("songs", "2")])),
        ComposingCase(
            "a batch with elements comes out of single answers and single elements",
            [
                Taught.albumsWithArtists, Taught.albumWithArtists, Taught.artist,
                Stored("albums/1", document(album("1", [artistID("7")]))),
                Stored("albums/2?include=artists", document(album("2", [artist("3")]))),
                Stored("artists/7", document(artist("7"))),
            ], "albums?ids=1,2&include=artists",
            .split([album("1", [artist("7")]), album("2", [artist("3")])])),
    ]

    static let fetches: [ComposingCase] = [
        ComposingCase(
            "the one that is missing is fetched", forms + [one], "albums?ids=1,2",
            .fetch("/v1/catalog/us/albums?ids=2")),
        ComposingCase(
            "those that are missing are fetched in their order", forms + [one], "albums?ids=5,1,3",
            .fetch("/v1/catalog/us/albums?ids=5,3")),
        ComposingCase(
            "one that has gone stale is fetched",
            forms + [one, Stored("albums/2", document(album("2")), freshFor: 50)],
            "albums?ids=1,2", after: 50, .fetch("/v1/catalog/us/albums?ids=2")),
        ComposingCase(
            "elements that are all that is missing are fetched alone",
            [
                Taught.albumsWithArtists, Taught.albumWithArtists, Taught.artist, Taught.artists,
                Stored("albums/1", document(album("1", [artistID("7")]))),
                Stored("albums/2", document(album("2", [artistID("3")]))),
            ], "albums?ids=1,2&include=artists", .fetch("/v1/catalog/us/artists?ids=3,7")),
        ComposingCase(
            "an item that lacks elements is fetched whole beside one that is there",
            [
                Taught.albumsWithArtists, Taught.albumWithArtists, Taught.artist, Taught.artists,
                Stored("albums/1", document(album("1", [artistID("7")]))),
                Stored("albums/2?include=artists", document(album("2", [artist("3")]))),
            ], "albums?ids=1,2&include=artists", .fetch("/v1/catalog/us/albums?ids=1&include=artists")),
        ComposingCase(
            "what was not found is asked for again once that has run out", forms + [none404, two],
            "albums?ids=404,2", after: 60, .fetch("/v1/catalog/us/albums?ids=404")),
        ComposingCase(
            "what was not found in a batch that has gone stale is asked for again",
            forms + [Stored("albums?ids=404,1", document(album("1")), freshFor: 20), two], "albums?ids=404,2",
            after: 20, .fetch("/v1/catalog/us/albums?ids=404")),
        ComposingCase(
            "what a batch did not find when it was noted, and has by now",
            forms + [
                none404, Stored("albums?ids=1,404", document([album("1"), album("404")]), isNoted: false), two,
            ], "albums?ids=404,2", .fetch("/v1/catalog/us/albums?ids=404")),
    ]

    static let refusals: [ComposingCase] = [
        ComposingCase("a batch of which nothing is stored", forms, "albums?ids=1,2", .refusal, "batch not-held"),
        ComposingCase(
            "a batch in a form that was never seen", [Taught.album, one, two], "albums?ids=1,2", .refusal,
            "batch form-never-seen"),
        ComposingCase(
            "a batch of two before a batch showed an order",
            [Taught.album, Stored("albums?ids=9", document(album("9", [artistID("90")]))), one, two],
            "albums?ids=1,2", .refusal, "batch order-unknown"),
        ComposingCase(
            "what is asked for twice", forms + [one, two], "albums?ids=1,2,1", .refusal, "batch duplicates-unknown"),
        ComposingCase(
            "more than is documented", artistForms + manyArtists, "artists?ids=" + manyIDs.joined(separator: ","),
            .refusal, "batch too-many-ids"),
        ComposingCase(
            "a batch one of whose items is nowhere and the other lacks elements",
            [
                Taught.albumsWithArtists, Taught.albumWithArtists, Taught.artist, Taught.artists,
                Stored("albums/1", document(album("1", [artistID("7")]))),
            ], "albums?ids=1,2&include=artists", .refusal, "batch not-held"),
        ComposingCase(
            "a batch out of items before one resource was seen in both",
            [Taught.albums, one, two], "albums?ids=1,2", .refusal, "batch places-never-compared"),
    ]

    @Test(arguments: answers) func batchesAreMadeOfWhatIsThere(_ row: ComposingCase) throws { try row.check() }
    @Test(arguments: fetches) func whatIsMissingIsFetched(_ row: ComposingCase) throws { try row.check() }
    @Test(arguments: refusals) func uncertainBatchesAreRefused(_ row: ComposingCase) throws { try row.check() }

    @Test func whereNotFoundIsNotKeptAnAbsentResourceIsAskedForAgain() throws {
        var scene = StoredScene()
        scene.notFoundFor = 0
        try scene.store(Self.forms + [Self.none404, Self.two])
        #expect(try scene.ask("albums?ids=404,2", after: 0) == .fetch("/v1/catalog/us/albums?ids=404"))
    }
}
