import Testing

@testable import Compose

/// Answers in forms that were not seen, but follow from others.
@Suite struct UnseenFormTests {
    /// As the API shows albums: artists by their identifiers, unless they are included, and tracks.
    private static func shown(_ id: String, artists: [String], genres: [String]? = nil) -> String {
        let more = genres.map { [relation("genres", $0)] } ?? []
        return resource(
            "albums", id, [relation("artists", artists), relation("tracks", [resource("songs", "50")])] + more)
    }
    private static func plain(_ id: String) -> String { shown(id, artists: [artistID("7")]) }
    private static let withArtists = Stored("albums/1?include=artists", document(shown("1", artists: [artist("7")])))
    private static let viewed = Stored(
        "artists/1?views=top-songs",
        document(
            String(resource("artists", "1", [relation("albums", [identifier("albums", "3")])]).dropLast())
                + ",\"views\":{\"top-songs\":{\"data\":[\(resource("songs", "5"))]}}}"))
    private static let artistAlone = document(
        resource("artists", "1", [relation("albums", [identifier("albums", "3")])]))

    private static var documented: StoredScene { StoredScene { $0.trustsDocumentation = true } }

    static let documentedAnswers: [ComposingCase] = [
        ComposingCase(
            "the first album that was asked for with its artists, without them", [withArtists], "albums/1",
            .reduced(plain("1"))),
        ComposingCase(
            "the first album out of the first batch", [Stored("albums?ids=1,2", document([plain("1"), plain("2")]))],
            "albums/2", .reduced(plain("2"))),
        ComposingCase(
            "a batch of one out of the first item", [Stored("albums/1", document(plain("1")))], "albums?ids=1",
            .reduced(plain("1"))),
        ComposingCase(
            "a genre is left out where none is shown by default",
            [Stored("albums/1?include=genres", document(shown("1", artists: [artistID("7")], genres: [genre("2")])))],
            "albums/1", .reduced(plain("1"))),
        ComposingCase("an artist without its views", [viewed], "artists/1", .answer(artistAlone, .reduced)),
    ]

    static let documentedRefusals: [ComposingCase] = [
        ComposingCase(
            "an origin that shows identifiers of tracks",
            [
                Stored(
                    "albums/1?include=artists",
                    document(
                        resource(
                            "albums", "1",
                            [relation("artists", [artist("7")]), relation("tracks", [identifier("songs", "5")])])))
            ], "albums/1", .refusal, "item form-never-seen"),
        ComposingCase(
            "an answer in which nothing can be held against the documentation",
            [Stored("albums/1?include=artists", document(album("1", [artist("7")])))], "albums/1", .refusal,
            "item form-never-seen"),
        ComposingCase(
            "a relationship that is not documented",
            [
                Stored(
                    "albums/1?include=moods",
                    document(
                        resource(
                            "albums", "1",
                            [
                                relation("artists", [artistID("7")]), relation("tracks", [resource("songs", "5")]),
                                relation("moods", [resource("genres", "1")]),
                            ])))
            ], "albums/1", .refusal, "item form-never-seen"),
        ComposingCase(
            "several out of an item: their order was not seen",
            [Stored("albums/1", document(plain("1"))), Stored("albums/2", document(plain("2")))], "albums?ids=1,2",
            .refusal, "batch order-unknown"),
        ComposingCase(
            "an included artist may look otherwise in a batch",
            [Stored("albums?ids=1,2&include=artists", document([shown("1", artists: [artist("7")])]))],
            "albums/1?include=artists", .refusal, "item form-never-seen"),
        ComposingCase(
            "views that were not asked for", [Stored("artists/1", artistAlone)], "artists/1?views=top-songs", .refusal,
            "item form-never-seen"),
        ComposingCase("other views", [viewed], "artists/1?views=full-albums", .refusal, "item form-never-seen"),
    ]

    @Test(arguments: documentedAnswers + documentedRefusals)
    func whereTheDocumentationCounts(_ row: ComposingCase) throws { try row.check(Self.documented) }

    @Test(arguments: documentedAnswers) func anotherOriginHasToShowIt(_ row: ComposingCase) throws {
        let scene = StoredScene()
        try scene.store(row.stored)
        #expect(try scene.ask(row.target, after: row.after) == .refusal)
    }

    @Test func aContradictionOfTheDocumentationEndsIt() throws {
        let scene = Self.documented
        try scene.store(Self.withArtists)
        try scene.store(Stored("albums/2?include=genres", document(album("2", [artist("7")])), freshFor: 100))
        #expect(try scene.ask("albums/1") == .refusal)
    }

    @Test func aMismatchEndsWhatWasConcluded() throws {
        let scene = Self.documented
        try scene.store(Self.withArtists)
        scene.library.forms.switchOff(
            try StoredScene.request("albums/1").shape, until: StoredScene.noon + 50, at: StoredScene.noon)
        #expect(try scene.ask("albums/1") == .refusal)
        #expect(try scene.ask("albums/1", after: 60) == .reduced(Self.plain("1")))
    }

    // MARK: Forms that the origin shows of the rule itself

    private static func song(_ id: String, albums: String, artists: String) -> String {
        resource("songs", id, [relation("albums", [albums]), relation("artists", [artists])])
    }

    /// Four forms, of which each but the last shows something new: it was foretold by the others.
    private static let rule = [
        Stored("albums/9", document(shown("9", artists: [artistID("7")]))),
        Stored("albums/9?include=artists", document(shown("9", artists: [artist("7")]))),
        Stored("albums/9?include=genres", document(shown("9", artists: [artistID("7")], genres: [genre("2")]))),
        Stored("albums/9?include=artists,genres", document(shown("9", artists: [artist("7")], genres: [genre("2")]))),
    ]
    private static let songs = [
        Stored("songs/8?include=albums", document(song("8", albums: resource("albums", "3"), artists: artistID("7")))),
        Stored("songs/1?include=artists", document(song("1", albums: identifier("albums", "3"), artists: artist("7")))),
    ]
    private static let songAlone = document(song("1", albums: identifier("albums", "3"), artists: artistID("7")))

    @Test func aRuleThatForetoldOneFormForetellsOthers() throws {
        let scene = StoredScene()
        try scene.store(Self.songs)
        #expect(try scene.ask("songs/1") == .refusal)
        try scene.store(Self.rule)
        #expect(try scene.ask("songs/1") == .answer(Self.songAlone, .reduced))
    }

    /// Genres look the same alone and in a batch, where they show no relationships; the same was
    /// assumed of albums.
    @Test func formsOfOneTypeSayNothingOfAnother() throws {
        let scene = StoredScene()
        try scene.store([
            Stored("genres/20", document(genre("20"))),
            Stored("genres?ids=20,21", document([genre("20"), genre("21")])),
            Stored("albums/1", document(Self.plain("1"))),
            Stored(
                "albums?ids=1,2&include=artists,tracks",
                document([Self.shown("1", artists: [artist("7")]), Self.shown("2", artists: [artist("7")])])),
            Stored("albums/2", document(Self.plain("2"))),
        ])
        #expect(try scene.refusal("albums?ids=1,2") == "batch form-never-seen")
    }

    @Test func aRuleIsForgottenWithTheAnswersThatBoreItOut() throws {
        let scene = StoredScene()
        try scene.store(Self.songs)
        for var answer in Self.rule {
            answer.freshFor = 100
            try scene.store(answer)
        }
        #expect(try scene.ask("songs/1", after: 99) == .answer(Self.songAlone, .reduced))
        #expect(try scene.ask("songs/1", after: 100) == .refusal)
    }

    @Test func oneSightOfTheOppositeEndsARule() throws {
        let scene = StoredScene()
        try scene.store(Self.songs + Self.rule)
        // With an include, this origin leaves out members that it shows otherwise.
        try scene.store(
            Stored(
                "playlists/1", document(resource("playlists", "1", [relation("tracks", [resource("songs", "5")])])),
                freshFor: 100))
        for include in ["curator", "library"] {
            try scene.store(
                Stored(
                    "playlists/1?include=\(include)",
                    document(resource("playlists", "1", [relation(include, [genre("1")])])), freshFor: 100))
        }
        #expect(try scene.ask("songs/1") == .refusal)
        #expect(try scene.ask("songs/1", after: 110) == .answer(Self.songAlone, .reduced))
    }

    @Test func whatNestedElementsShowIsTakenFromTheSameIncludeAlone() throws {
        // Included artists show their albums whole where albums are included too.
        func nested(_ album: String) -> String { resource("artists", "7", [relation("albums", [album])]) }
        let scene = StoredScene()
        try scene.store(Self.rule)
        try scene.store([
            Stored(
                "songs/8?include=artists",
                document(
                    Self.song("8", albums: identifier("albums", "3"), artists: nested(identifier("albums", "3"))))),
            Stored(
                "songs/8?include=albums",
                document(Self.song("8", albums: resource("albums", "3"), artists: artistID("7")))),
        ])
        #expect(try scene.ask("songs/8?include=albums,artists") == .refusal)
        #expect(
            try scene.ask("songs/8")
                == .reduced(Self.song("8", albums: identifier("albums", "3"), artists: artistID("7"))))
    }
}
