import Testing

@testable import Compose

/// Items put together out of several answers, and the requests for missing parts.
@Suite struct ExpandedItemTests {
    private static let forms = [Taught.albumWithArtists, Taught.artist, Taught.artists]
    private static let base = shown("albums/1")
    private static let seven = shown("artists/7")
    private static let briefly = shown("albums/9?include=artists", artists: ["90"], freshFor: 50)
    private static let trio = shown("albums/1", artists: ["7", "3", "7"])
    private static let severalArtists = shown("albums/9?include=artists", artists: ["90", "91", "92"])

    /// The forms in which albums come with both, beginning with this album.
    private static func formsOfBoth(_ artists: [String] = ["90"]) -> [Stored] {
        [
            shown("albums/9?include=artists,genres", artists: artists, genres: ["34"]), Taught.artists,
            shown("genres?ids=34"), Taught.artist,
        ]
    }
    private static let withGenre = shown("albums/1", genres: ["21"])

    /// Artists that come with the identifiers of their albums, or with whole ones.
    private static func withAlbums(_ id: String) -> String {
        resource("artists", id, [relation("albums", [identifier("albums", "5")])])
    }
    private static func withWholeAlbums(_ id: String) -> String {
        resource("artists", id, [relation("albums", [resource("albums", "5")])])
    }
    /// An album with this artist, a batch of artists, and the album that is asked for.
    private static func withBatch(_ included: String, _ batched: String) -> [Stored] {
        [
            Stored("albums/9?include=artists", document(album("9", [included]))),
            Stored("artists?ids=90", document(batched)), base,
        ]
    }

    private static let target = "albums/1?include=artists"
    private static let expanded = Outcome.composed(album("1", [artist("7")]))

    static let answers: [Row] = [
        Row("an element out of its own answer", forms + [base, seven], target, expanded),
        Row("an element out of a batch", forms + [base, shown("artists?ids=6,7")], target, expanded),
        Row("an element out of another album", forms + [base, shown("albums/2?include=artists")], target, expanded),
        Row("an element is reduced", forms + [base, Stored("artists/7", document(withAlbums("7")))], target, expanded),
        Row(
            "two relationships come out of two answers",
            [
                shown("albums/9?include=artists,genres", artists: ["90"], genres: ["34"]),
                shown("albums/1?include=artists", genres: ["21"]), shown("albums/1?include=genres", genres: ["21"]),
            ], "albums/1?include=artists,genres", .composed(album("1", [artist("7")], [genre("21")]))),
        Row(
            "a newer answer that has gone stale does not hide an older one that is fresh",
            forms + [base, shown("artists?ids=7"), shown("artists/7", freshFor: 50)], target, after: 50, expanded),
    ]

    private static let manyForms = [
        shown("albums/9?include=artists", artists: (100..<126).map(String.init)), shown("artists?ids=100"),
    ]
    private static let many = (200..<225).map(String.init)

    static let fetches: [Row] = [
        Row("the element that is missing is fetched", forms + [base], target, .fetch("artists?ids=7")),
        Row(
            "within a known form", [briefly, Taught.artist, Taught.artists, base], target, after: 49,
            .fetch("artists?ids=7")),
        Row(
            "elements that are missing are fetched together, in order, each once", [severalArtists] + forms + [trio],
            target, .fetch("artists?ids=3,7")),
        Row(
            "elements are fetched in the language that was asked for",
            forms + [shown("albums/1?l=de"), shown("albums/9?include=artists&l=de", artists: ["90"])],
            "albums/1?include=artists&l=de", .fetch("artists?ids=7&l=de")),
        Row(
            "only missing ones are fetched", [severalArtists] + forms + [trio, shown("artists/3")], target,
            .fetch("artists?ids=7")),
        Row("an identifier is no element", forms + [base, shown("albums/2")], target, .fetch("artists?ids=7")),
        Row(
            "elements of one type are fetched where those of the other are there", formsOfBoth() + [withGenre, seven],
            "albums/1?include=artists,genres", .fetch("genres?ids=21")),
        Row(
            "an element that an older answer has is not missing because a newer one only names it",
            formsOfBoth(["90", "91"]) + [shown("albums/1?include=artists", genres: ["21"]), withGenre],
            "albums/1?include=artists,genres", .fetch("genres?ids=21")),
        Row(
            "elements with relationships are fetched where a batch brings those",
            withBatch(withAlbums("90"), withAlbums("90")), target, .fetch("artists?ids=7")),
        Row(
            "as many elements are fetched as one request may ask for", manyForms + [shown("albums/1", artists: many)],
            target, .fetch("artists?ids=" + many.joined(separator: ","))),
    ]

    static let refusals: [Row] = [
        Row(
            "a base that has gone stale, whatever else might be fetched", forms + [shown("albums/1", freshFor: 50)],
            target, after: 50, refused: "item not-held"),
        Row(
            "missing elements that no batch was seen to bring", [Taught.albumWithArtists, Taught.artist, base], target,
            refused: "item element-not-held"),
        Row(
            "missing elements in a form that was not seen for too long",
            [briefly, Taught.artist, Taught.artists, base], target, after: 50, refused: "item form-ran-out"),
        Row(
            "missing elements whose relationships are whole resources",
            withBatch(withWholeAlbums("90"), withWholeAlbums("90")), target, refused: "item element-not-held"),
        Row(
            "missing elements of two types", formsOfBoth() + [withGenre], "albums/1?include=artists,genres",
            refused: "supplement several-types"),
        Row(
            "more missing elements than one request may ask for",
            manyForms + [shown("albums/1", artists: many + ["225"])], target, refused: "supplement too-many-missing"),
        Row(
            "missing elements whose relationships no batch shows", withBatch(withAlbums("90"), artist("90")), target,
            refused: "item element-not-held"),
        Row(
            "an include that shows another list beside",
            [
                shown("albums/9?include=artists", artists: ["90"], genres: ["34"]), Taught.artist, Taught.artists, base,
                seven,
            ], target, refused: "item relationship-not-held"),
        Row(
            "a longer list than any that was seen there, of a name that nothing is documented of",
            [
                genres("albums/9?include=genres", [genre("34")]), shown("genres/34"), shown("genres?ids=34"),
                genres("albums/1", [genreID("34"), genreID("21")]),
            ], "albums/1?include=genres", refused: "item size-never-seen"),
    ]

    /// An album with nothing but genres.
    private static func genres(_ target: String, _ genres: [String]) -> Stored {
        let id = target.split(separator: "?")[0].dropFirst("albums/".count)
        return Stored(target, document(resource("albums", String(id), [relation("genres", genres)])))
    }

    @Test(arguments: answers) func itemsArePutTogether(_ row: Row) throws { try row.check() }
    @Test(arguments: fetches) func whatIsMissingIsFetched(_ row: Row) throws { try row.check() }
    @Test(arguments: refusals) func uncertainItemsAreRefused(_ row: Row) throws { try row.check() }

    @Test func eachUsedAnswerIsAPartOnce() throws {
        let scene = try StoredScene([Self.severalArtists] + Self.forms + [Self.trio, shown("artists?ids=3,7")])
        #expect(try scene.parts(Self.target) == ["albums/1", "artists?ids=3,7"])
    }
}
