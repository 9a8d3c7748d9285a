import Testing

@testable import Compose

/// Answers in forms that were not seen, but follow from others.
@Suite struct UnseenFormTests {
    /// As the API shows albums: artists by their identifiers, unless they are included, and tracks.
    private static func album(
        _ id: String, artists: [String] = [artistID("7")], genres: [String] = [], tracks: [String] = [track]
    ) -> String {
        let genres = genres.isEmpty ? [] : [relation("genres", genres)]
        return resource("albums", id, [relation("artists", artists), relation("tracks", tracks)] + genres)
    }
    private static let track = resource("songs", "50")
    private static let plain = document(album("1"))
    private static let withArtists = Stored("albums/1?include=artists", document(album("1", artists: [artist("7")])))
    private static let viewed = Stored(
        "artists/1?views=top-songs",
        artistShown("1", [identifier("albums", "3")], ["\"top-songs\":{\"data\":[\(resource("songs", "5"))]}"]))
    private static let artistAlone = artistShown("1")

    private static func documented(_ stored: [Stored] = []) throws -> StoredScene {
        try StoredScene(stored) { $0.trustsDocumentation = true }
    }

    static let documentedAnswers: [Row] = [
        Row("an album out of the first with its artists", [withArtists], "albums/1", .answer(plain, .reduced)),
        Row(
            "a genre that albums do not show by default",
            [Stored("albums/1?include=genres", document(album("1", genres: [genre("2")])))], "albums/1",
            .answer(plain, .reduced)),
        Row("an artist without its views", [viewed], "artists/1", .answer(artistAlone, .reduced)),
    ]

    private static let moods = resource(
        "albums", "1",
        [
            relation("artists", [artistID("7")]), relation("tracks", [track]),
            relation("moods", [resource("genres", "1")]),
        ])

    static let documentedRefusals: [Row] = [
        Row(
            "the first album out of the first batch: attributes are not documented",
            [Stored("albums?ids=1,2", document([album("1"), album("2")]))], "albums/2",
            refused: "item places-never-compared"),
        Row(
            "a batch of one out of an item", [Stored("albums/1", plain)], "albums?ids=1",
            refused: "batch places-never-compared"),
        Row(
            "an origin that shows identifiers of tracks",
            [
                Stored(
                    "albums/1?include=artists",
                    document(album("1", artists: [artist("7")], tracks: [identifier("songs", "5")])))
            ], "albums/1", refused: "item form-never-seen"),
        Row(
            "an answer in which nothing can be held against the documentation", [shown("albums/1?include=artists")],
            "albums/1", refused: "item form-never-seen"),
        Row(
            "a relationship that is not documented", [Stored("albums/1?include=moods", document(moods))], "albums/1",
            refused: "item form-never-seen"),
        Row(
            "several out of an item: their order was not seen",
            [Stored("albums/1", plain), Stored("albums/2", document(album("2")))], "albums?ids=1,2",
            refused: "batch order-unknown"),
        Row(
            "an included artist may look otherwise in a batch",
            [Stored("albums?ids=1,2&include=artists", document(album("1", artists: [artist("7")])))],
            "albums/1?include=artists", refused: "item form-never-seen"),
        Row(
            "views that were not asked for", [Stored("artists/1", artistAlone)], "artists/1?views=top-songs",
            refused: "item form-never-seen"),
        Row("other views", [viewed], "artists/1?views=full-albums", refused: "item form-never-seen"),
    ]

    @Test(arguments: documentedAnswers + documentedRefusals)
    func whereTheDocumentationCounts(_ row: Row) throws { try row.check(Self.documented()) }

    @Test(arguments: documentedAnswers) func anotherOriginHasToShowIt(_ row: Row) throws {
        #expect(try StoredScene(row.stored).ask(row.target, after: row.after) == .refusal)
    }

    @Test func aContradictionOfTheDocumentationEndsIt() throws {
        let other = Stored("albums/2?include=genres", document(ComposeTests.album("2", [artist("7")])), freshFor: 100)
        #expect(try Self.documented([Self.withArtists, other]).ask("albums/1") == .refusal)
    }

    @Test func aMismatchEndsWhatWasConcluded() throws {
        let scene = try Self.documented([Self.withArtists])
        scene.library.forms.switchOff(
            try StoredScene.request("albums/1").shape, until: StoredScene.noon + 50, at: StoredScene.noon)
        #expect(try scene.ask("albums/1") == .refusal)
        #expect(try scene.ask("albums/1", after: 60) == .answer(Self.plain, .reduced))
    }

    // MARK: Forms that the origin shows of the rule itself

    private static let albumID = identifier("albums", "3")
    private static let wholeAlbum = resource("albums", "3")

    private static func song(_ id: String, albums: String, artists: String) -> String {
        document(resource("songs", id, [relation("albums", [albums]), relation("artists", [artists])]))
    }

    /// Four forms, of which each but the last shows something new: it was foretold by the others.
    private static let rule = [
        Stored("albums/9", document(album("9"))),
        Stored("albums/9?include=artists", document(album("9", artists: [artist("7")]))),
        Stored("albums/9?include=genres", document(album("9", genres: [genre("2")]))),
        Stored("albums/9?include=artists,genres", document(album("9", artists: [artist("7")], genres: [genre("2")]))),
    ]
    private static let songs = [
        Stored("songs/8?include=albums", song("8", albums: wholeAlbum, artists: artistID("7"))),
        Stored("songs/1?include=artists", song("1", albums: albumID, artists: artist("7"))),
    ]
    private static let songAlone = Outcome.answer(song("1", albums: albumID, artists: artistID("7")), .reduced)

    @Test func aRuleThatForetoldOneFormForetellsOthers() throws {
        let scene = try StoredScene(Self.songs)
        #expect(try scene.ask("songs/1") == .refusal)
        try scene.store(Self.rule)
        #expect(try scene.ask("songs/1") == Self.songAlone)
    }

    /// Genres look the same alone and in a batch, where they show no relationships; the same was
    /// assumed of albums.
    @Test func formsOfOneTypeSayNothingOfAnother() throws {
        let batch = ["1", "2"].map { Self.album($0, artists: [artist("7")]) }
        let scene = try StoredScene([
            shown("genres/20"), shown("genres?ids=20,21"), Stored("albums/1", Self.plain),
            Stored("albums?ids=1,2&include=artists,tracks", document(batch)),
            Stored("albums/2", document(Self.album("2"))),
        ])
        #expect(try scene.refusal("albums?ids=1,2") == "batch form-never-seen")
    }

    @Test func aRuleIsForgottenWithTheAnswersThatBoreItOut() throws {
        let scene = try StoredScene(Self.songs + Self.rule.map { Stored($0.target, $0.body, freshFor: 100) })
        #expect(try scene.ask("songs/1", after: 99) == Self.songAlone)
        #expect(try scene.ask("songs/1", after: 100) == .refusal)
    }

    @Test func oneCounterexampleEndsARule() throws {
        let scene = try StoredScene(Self.songs + Self.rule)
        // With an include, this origin leaves out members that it shows otherwise.
        let shown = [("", relation("tracks", [resource("songs", "5")]))]
        let included = ["curator", "library"].map { ("?include=\($0)", relation($0, [genre("1")])) }
        for (query, list) in shown + included {
            try scene.store(
                Stored("playlists/1\(query)", document(resource("playlists", "1", [list])), freshFor: 100))
        }
        #expect(try scene.ask("songs/1") == .refusal)
        #expect(try scene.ask("songs/1", after: 110) == Self.songAlone)
    }

    /// Included artists show their albums whole where albums are included too.
    @Test func whatNestedElementsShowIsTakenFromTheSameIncludeAlone() throws {
        let nested = resource("artists", "7", [relation("albums", [Self.albumID])])
        let scene = try StoredScene(
            Self.rule + [
                Stored("songs/8?include=artists", Self.song("8", albums: Self.albumID, artists: nested)),
                Stored("songs/8?include=albums", Self.song("8", albums: Self.wholeAlbum, artists: artistID("7"))),
            ])
        #expect(try scene.ask("songs/8?include=albums,artists") == .refusal)
        let alone = Self.song("8", albums: Self.albumID, artists: artistID("7"))
        #expect(try scene.ask("songs/8") == .answer(alone, .reduced))
    }
}
