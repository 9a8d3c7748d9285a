import AppleMusic
import Testing

@testable import Compose

/// Items put together out of several answers, and the requests for missing parts.
@Suite struct ExpandedItemTests {
    private static let forms = [Taught.albumWithArtists, Taught.artist, Taught.artists]
    private static let base = Stored("albums/1", document(album("1", [artistID("7")])))
    private static let briefly = Stored("albums/9?include=artists", document(album("9", [artist("90")])), freshFor: 50)
    private static let trio = Stored("albums/1", document(album("1", [artistID("7"), artistID("3"), artistID("7")])))
    private static let severalArtists = Stored(
        "albums/9?include=artists", document(album("9", [artist("90"), artist("91"), artist("92")])))

    private static let formsOfBoth = [
        Stored("albums/9?include=artists,genres", document(album("9", [artist("90")], [genre("34")]))),
        Taught.artists, Stored("genres?ids=34", document(genre("34"))), Taught.artist,
    ]
    /// Albums whose artists come with the identifiers of their albums.
    private static func withAlbums(_ id: String) -> String {
        resource("artists", id, [relation("albums", [identifier("albums", "5")])])
    }

    private static func withWholeAlbums(_ id: String) -> String {
        resource("artists", id, [relation("albums", [resource("albums", "5")])])
    }

    static let answers: [ComposingCase] = [
        ComposingCase(
            "an element is taken from its own answer", forms + [base, Stored("artists/7", document(artist("7")))],
            "albums/1?include=artists", .composed(album("1", [artist("7")]))),
        ComposingCase(
            "an element is taken from a batch",
            forms + [base, Stored("artists?ids=6,7", document([artist("6"), artist("7")]))],
            "albums/1?include=artists", .composed(album("1", [artist("7")]))),
        ComposingCase(
            "an element is taken from another album that includes it",
            forms + [base, Stored("albums/2?include=artists", document(album("2", [artist("7")])))],
            "albums/1?include=artists", .composed(album("1", [artist("7")]))),
        ComposingCase(
            "an element shows no more than elements do there",
            forms + [base, Stored("artists/7", document(withAlbums("7")))], "albums/1?include=artists",
            .composed(album("1", [artist("7")]))),
        ComposingCase(
            "two relationships come out of two answers",
            [
                Stored("albums/9?include=artists,genres", document(album("9", [artist("90")], [genre("34")]))),
                Stored("albums/1?include=artists", document(album("1", [artist("7")], [genreID("21")]))),
                Stored("albums/1?include=genres", document(album("1", [artistID("7")], [genre("21")]))),
            ], "albums/1?include=artists,genres",
            .composed(album("1", [artist("7")], [genre("21")]))),
        ComposingCase(
            "a newer answer that has gone stale does not hide an older one that is fresh",
            forms + [
                base, Stored("artists?ids=7", document(artist("7"))),
                Stored("artists/7", document(artist("7")), freshFor: 50),
            ], "albums/1?include=artists", after: 50, .composed(album("1", [artist("7")]))),
    ]

    static let fetches: [ComposingCase] = [
        ComposingCase(
            "the element that is missing is fetched", forms + [base], "albums/1?include=artists",
            .fetch("/v1/catalog/us/artists?ids=7")),
        ComposingCase(
            "while the form is known", [briefly, Taught.artist, Taught.artists, base], "albums/1?include=artists",
            after: 49, .fetch("/v1/catalog/us/artists?ids=7")),
        ComposingCase(
            "elements that are missing are fetched together, in order, each once", [severalArtists] + forms + [trio],
            "albums/1?include=artists", .fetch("/v1/catalog/us/artists?ids=3,7")),
        ComposingCase(
            "elements are fetched in the language that was asked for",
            [
                Taught.albumWithArtists, Taught.artist, Taught.artists,
                Stored("albums/1?l=de", document(album("1", [artistID("7")]))),
            ], "albums/1?include=artists&l=de", .fetch("/v1/catalog/us/artists?ids=7&l=de")),
        ComposingCase(
            "only what is missing is fetched",
            [severalArtists] + forms + [trio, Stored("artists/3", document(artist("3")))],
            "albums/1?include=artists", .fetch("/v1/catalog/us/artists?ids=7")),
        ComposingCase(
            "an element that has gone stale is missing",
            forms + [base, Stored("artists/7", document(artist("7")), freshFor: 50)], "albums/1?include=artists",
            after: 50, .fetch("/v1/catalog/us/artists?ids=7")),
        ComposingCase(
            "an identifier elsewhere does not stand for a missing element",
            forms + [base, Stored("albums/2", document(album("2", [artistID("7")])))], "albums/1?include=artists",
            .fetch("/v1/catalog/us/artists?ids=7")),
        ComposingCase(
            "elements of one type are fetched where those of the other are there",
            formsOfBoth + [
                Stored("albums/1", document(album("1", [artistID("7")], [genreID("21")]))),
                Stored("artists/7", document(artist("7"))),
            ], "albums/1?include=artists,genres", .fetch("/v1/catalog/us/genres?ids=21")),
        ComposingCase(
            "an element that an older answer has is not missing because a newer one only names it",
            [
                Stored(
                    "albums/9?include=artists,genres",
                    document(album("9", [artist("90"), artist("91")], [genre("34")]))),
                Taught.artists, Stored("genres?ids=34", document(genre("34"))), Taught.artist,
                Stored("albums/1?include=artists", document(album("1", [artist("7")], [genreID("21")]))),
                Stored("albums/1", document(album("1", [artistID("7")], [genreID("21")]))),
            ], "albums/1?include=artists,genres", .fetch("/v1/catalog/us/genres?ids=21")),
        ComposingCase(
            "elements with relationships are fetched where a batch brings those",
            [
                Stored("albums/9?include=artists", document(album("9", [withAlbums("90")]))),
                Stored("artists?ids=90", document(withAlbums("90"))), base,
            ], "albums/1?include=artists", .fetch("/v1/catalog/us/artists?ids=7")),
        ComposingCase(
            "as many elements are fetched as one request may ask for",
            manyForms + [Stored("albums/1", document(album("1", (200..<225).map { artistID("\($0)") })))],
            "albums/1?include=artists",
            .fetch("/v1/catalog/us/artists?ids=" + (200..<225).map(String.init).joined(separator: ","))),
    ]

    private static let manyForms = [
        Stored("albums/9?include=artists", document(album("9", (100..<126).map { artist("\($0)") }))),
        Stored("artists?ids=100", document(artist("100"))),
    ]

    static let refusals: [ComposingCase] = [
        ComposingCase(
            "a base that has gone stale, whatever else might be fetched",
            forms + [Stored("albums/1", document(album("1", [artistID("7")])), freshFor: 50)],
            "albums/1?include=artists", after: 50, .refusal, "item not-held"),
        ComposingCase(
            "missing elements that no batch was seen to bring", [Taught.albumWithArtists, Taught.artist, base],
            "albums/1?include=artists", .refusal, "item element-not-held"),
        ComposingCase(
            "missing elements in a form that was not seen for too long",
            [briefly, Taught.artist, Taught.artists, base],
            "albums/1?include=artists", after: 50, .refusal, "item form-ran-out"),
        ComposingCase(
            "missing elements whose relationships are whole resources",
            [
                Stored("albums/9?include=artists", document(album("9", [withWholeAlbums("90")]))),
                Stored("artists?ids=90", document(withWholeAlbums("90"))), base,
            ], "albums/1?include=artists", .refusal, "item element-not-held"),
        ComposingCase(
            "missing elements of two types",
            formsOfBoth + [Stored("albums/1", document(album("1", [artistID("7")], [genreID("21")])))],
            "albums/1?include=artists,genres", .refusal, "supplement several-types"),
        ComposingCase(
            "more missing elements than one request may ask for",
            manyForms + [Stored("albums/1", document(album("1", (200..<226).map { artistID("\($0)") })))],
            "albums/1?include=artists", .refusal, "supplement too-many-missing"),
        ComposingCase(
            "missing elements whose relationships no batch shows",
            [
                Stored("albums/9?include=artists", document(album("9", [withAlbums("90")]))),
                Stored("artists?ids=90", document(artist("90"))), base,
            ], "albums/1?include=artists", .refusal, "item element-not-held"),
        ComposingCase(
            "an include that was never seen", [Taught.album, Taught.artist, Taught.artists, base],
            "albums/1?include=artists", .refusal, "item form-never-seen"),
        ComposingCase(
            "an include that shows another list beside",
            [
                Stored("albums/9?include=artists", document(album("9", [artist("90")], [genreID("34")]))),
                Taught.artist, Taught.artists, base, Stored("artists/7", document(artist("7"))),
            ], "albums/1?include=artists", .refusal, "item relationship-not-held"),
        ComposingCase(
            "a longer list than any that was seen there, of a name that nothing is documented of",
            [
                Stored(
                    "albums/9?include=genres", document(resource("albums", "9", [relation("genres", [genre("34")])]))),
                Stored("genres/34", document(genre("34"))), Stored("genres?ids=34", document(genre("34"))),
                Stored(
                    "albums/1", document(resource("albums", "1", [relation("genres", [genreID("34"), genreID("21")])]))),
            ], "albums/1?include=genres", .refusal, "item size-never-seen"),
    ]

    @Test(arguments: answers) func itemsArePutTogether(_ row: ComposingCase) throws { try row.check() }
    @Test(arguments: fetches) func whatIsMissingIsFetched(_ row: ComposingCase) throws { try row.check() }
    @Test(arguments: refusals) func uncertainItemsAreRefused(_ row: ComposingCase) throws { try row.check() }

    @Test func eachUsedAnswerIsAPartOnce() throws {
        let scene = StoredScene()
        try scene.store([Self.severalArtists] + Self.forms + [Self.trio])
        try scene.store(Stored("artists?ids=3,7", document([artist("3"), artist("7")])))
        let answer = try scene.answer("albums/1?include=artists")
        let parts = answer.parts.map { String(decoding: $0.response.key.target, as: UTF8.self) }
        #expect(parts == ["/v1/catalog/us/albums/1", "/v1/catalog/us/artists?ids=3,7"])
    }
}
