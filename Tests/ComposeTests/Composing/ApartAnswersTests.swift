import AppleMusic
import Testing

@testable import Cache
@testable import Compose
@testable import Freshness

/// Answers that are never part of another one.
///
/// Either their circumstances differ, or no answer is made of their kind.
@Suite struct ApartAnswersTests {
    /// A stored larger form of a resource, and the request for its plain form.
    private static func row(_ name: String, storedAs larger: String, asking target: String, isAnswered: Bool)
        -> ComposingCase
    {
        let asked = target.replacing("albums/1", with: "albums/9")
        return ComposingCase(
            name,
            [
                Stored(asked, document(album("9", [artistID("90")]))),
                Stored(larger, document(album("1", [artist("7")]))),
            ], target, isAnswered ? .reduced(album("1")) : .refusal,
            isAnswered ? nil : "item not-held")
    }

    static let rows: [ComposingCase] = [
        row("one language", storedAs: "albums/1?include=artists&l=de", asking: "albums/1?l=de", isAnswered: true),
        row("another language", storedAs: "albums/1?include=artists&l=de", asking: "albums/1?l=en", isAnswered: false),
        row("a language for none", storedAs: "albums/1?include=artists&l=de", asking: "albums/1", isAnswered: false),
        row("no language for one", storedAs: "albums/1?include=artists", asking: "albums/1?l=de", isAnswered: false),
        row(
            "one storefront", storedAs: "/v1/catalog/gb/albums/1?include=artists", asking: "/v1/catalog/gb/albums/1",
            isAnswered: true),
        row(
            "another storefront", storedAs: "/v1/catalog/gb/albums/1?include=artists", asking: "albums/1",
            isAnswered: false),
        row(
            "one extension", storedAs: "albums/1?extend=a&include=artists", asking: "albums/1?extend=a",
            isAnswered: true),
        row(
            "another extension", storedAs: "albums/1?extend=a&include=artists", asking: "albums/1?extend=b",
            isAnswered: false),
        row(
            "an extension for none", storedAs: "albums/1?extend=a&include=artists", asking: "albums/1",
            isAnswered: false),
        row(
            "no extension for one", storedAs: "albums/1?include=artists", asking: "albums/1?extend=a", isAnswered: false
        ),
        row(
            "one parameter that nothing is known of", storedAs: "albums/1?include=artists&x=1", asking: "albums/1?x=1",
            isAnswered: true),
        row(
            "another value of a parameter that nothing is known of", storedAs: "albums/1?include=artists&x=1",
            asking: "albums/1?x=2", isAnswered: false),
        row(
            "a parameter that nothing is known of, for none", storedAs: "albums/1?include=artists&x=1",
            asking: "albums/1", isAnswered: false),
        row(
            "another parameter beside", storedAs: "albums/1?include=artists&x=1", asking: "albums/1?x=1&y=1",
            isAnswered: false),
    ]

    @Test(arguments: rows) func circumstancesAreKeptApart(_ row: ComposingCase) throws { try row.check() }

    private static let agreed = [Taught.album, Taught.albums]

    static let lists: [ComposingCase] = [
        ComposingCase(
            "a batch in another storefront",
            agreed + [
                Stored("/v1/catalog/gb/albums/1", document(album("1"))),
                Stored("/v1/catalog/gb/albums/2", document(album("2"))),
            ], "albums?ids=1,2", .refusal, "batch not-held"),
        ComposingCase(
            "what was not found in another storefront",
            agreed + [
                Stored("/v1/catalog/gb/albums?ids=404,1", document(album("1"))),
                Stored("albums/2", document(album("2"))),
            ], "albums?ids=404,2", .fetch("/v1/catalog/us/albums?ids=404")),
        ComposingCase(
            "what was not found in another language",
            agreed + [
                Stored("albums?ids=404,1&l=de", document(album("1"))), Stored("albums/2", document(album("2"))),
            ], "albums?ids=404,2", .fetch("/v1/catalog/us/albums?ids=404")),
        ComposingCase(
            "a window of another storefront's list",
            CutWindowTests.learnt + [
                Stored(
                    "/v1/catalog/gb/artists/1/albums?limit=20",
                    document(items("albums", 0..<20), next: "artists/1/albums?offset=20"))
            ], "artists/1/albums?limit=5", .refusal, "window not-held"),
        ComposingCase(
            "a window of a list in another language",
            CutWindowTests.learnt + [CutWindowTests.page(1, "l=de&limit=20", 0..<20, next: 20)],
            "artists/1/albums?limit=5", .refusal, "window not-held"),
        ComposingCase(
            "a window of a list with another include",
            CutWindowTests.learnt + [CutWindowTests.page(1, "include=tracks&limit=20", 0..<20, next: 20)],
            "artists/1/albums?limit=5", .refusal, "window not-held"),
        ComposingCase(
            "a window of a list with another parameter",
            CutWindowTests.learnt + [CutWindowTests.page(1, "limit=20&x=1", 0..<20, next: 20)],
            "artists/1/albums?limit=5", .refusal, "window not-held"),
        ComposingCase(
            "a batch with an extension, which touches what was asked for by its id and nothing else",
            agreed + [
                Stored("albums/9?extend=a", document(album("9", [artistID("90")]))),
                Stored("albums?ids=1&extend=a", document(album("1"))),
            ], "albums/1?extend=a", .refusal, "item parameters-forbid"),
        ComposingCase(
            "a list inside a parent that came with an extension",
            CutWindowTests.learnt + [
                Stored(
                    "artists/9?include=albums",
                    document(resource("artists", "9", [relation("albums", items("albums", 0..<4))]))),
                Stored("artists/9/albums?extend=a&limit=30", document(items("albums", 0..<3))),
                Stored(
                    "artists/1?extend=a&include=albums",
                    document(resource("artists", "1", [relation("albums", items("albums", 0..<3))]))),
            ], "artists/1/albums?extend=a&limit=30", .refusal, "window not-held"),
        ComposingCase(
            "a longer list than any that was seen, with an extension",
            [
                Stored("albums/9?extend=a", document(album("9", [artistID("90")]))),
                Stored("albums/1?extend=a&include=genres", document(album("1", [artistID("7"), artistID("8")]))),
            ], "albums/1?extend=a", .refusal, "item size-never-seen"),
    ]

    @Test(arguments: lists) func listsAndBatchesAreKeptApart(_ row: ComposingCase) throws { try row.check() }

    // MARK: Answers that are no part

    private static let larger = Stored("albums/1?include=artists", document(album("1", [artist("7")])))
    private static let answered = Outcome.reduced(album("1"))

    private func ask(
        _ classes: ResourceClasses = ResourceClasses { _ in true }, _ change: (inout Stored) -> Void = { _ in }
    ) throws -> Outcome {
        let scene = StoredScene(CompositionSettings(), classes)
        var larger = Self.larger
        change(&larger)
        try scene.store([Taught.album, larger])
        return try scene.ask("albums/1")
    }

    @Test func anAnswerOfTheOriginsToEverybodyIsAPart() throws { #expect(try ask() == Self.answered) }

    @Test(arguments: [203, 206, 404]) func anAnswerOfAnotherStatusIsNoPart(status: Int) throws {
        #expect(try ask { $0.status = status } == .refusal)
    }

    @Test func anAnswerThatRequestFieldsChoseIsNoPart() throws {
        #expect(try ask { $0.variant = "de" } == .refusal)
    }

    @Test func anAnswerOfAClassThatFollowsTheOriginIsNoPart() throws {
        #expect(try ask(ResourceClasses { $0 != .albums }) == .refusal)
        #expect(try ask(ResourceClasses { $0 != .artists }) == Self.answered)
    }

    @Test func anAnswerThatTheLibraryDidNotHearOfIsNoPart() throws {
        #expect(try ask { $0.isNoted = false } == .refusal)
    }

    @Test func aPersonalAnswerIsNoPart() throws {
        let scene = StoredScene()
        try scene.store(Taught.album)
        let target = try StoredScene.target("albums/1?include=artists")
        let body = Array(Self.larger.body.utf8)
        let personal = StoredResponse(
            key: CacheKey(scope: .personal(UserHash(bits: 1)), target: target.bytes), status: 200, fields: [],
            body: body, receivedAt: StoredScene.noon, lifetime: Lifetime(freshFor: 1_000),
            classTag: ResourceClass.albums.rawValue, storefront: Array("us".utf8), outline: DocumentScan(body).document)
        scene.cache.store(personal)
        scene.library.note(personal, at: StoredScene.noon)
        #expect(scene.library.index.count == 2, "album 9 and its list")
        #expect(try scene.ask("albums/1") == .refusal)
    }

    /// Else answers would be composed of composed ones, and outlive them.
    @Test func aComposedAnswerIsNoPart() throws {
        let scene = StoredScene()
        try scene.store([Taught.album, Taught.albumWithArtists, Taught.artist, Taught.artists])
        try scene.store([Stored("albums/1", document(album("1"))), Stored("artists/7", document(artist("7")))])
        let composed = try scene.answer("albums/1?include=artists")
        let target = try StoredScene.target("albums/1?include=artists")
        let made = StoredResponse(
            composed: composed.body, key: CacheKey(scope: .shared, target: target.bytes),
            parts: composed.parts.map(\.response), detail: composed.detail, receivedAt: StoredScene.noon,
            lifetime: composed.lifetime, classTag: ResourceClass.albums.rawValue)
        #expect(
            scene.cache.store(
                composed: made, from: composed.parts.map(\.response), whileContradictionsAre: composed.contradictions))
        let known = scene.library.index.count
        let map = try #require(DocumentScan(made.body).document)
        scene.library.note(made.with(outline: map), at: StoredScene.noon)
        #expect(scene.library.index.count == known)
    }

    // MARK: Noted answers that have gone or changed

    @Test func anAnswerThatIsGoneIsNoPart() throws {
        let scene = StoredScene()
        try scene.store([Taught.album, Self.larger])
        scene.cache.remove(CacheKey(scope: .shared, target: try StoredScene.target(Self.larger.target).bytes))
        #expect(try scene.ask("albums/1") == .refusal)
    }

    @Test(arguments: [
        document(album("2", [artist("7")])), document(resource("songs", "1", [relation("artists", [artist("7")])])),
        document([]), "no document",
    ])
    func aPlaceWhereAnotherResourceStandsByNowIsNoSource(body: String) throws {
        let scene = StoredScene()
        try scene.store([Taught.album, Self.larger])
        try scene.store(Stored(Self.larger.target, body, isNoted: false))
        #expect(try scene.ask("albums/1") == .refusal)
    }

    @Test func aReplacedAnswerIsNoSourceOfItsFormerParts() throws {
        let scene = StoredScene()
        try scene.store([Taught.album, Taught.albumWithArtists, Taught.artist, Self.larger])
        #expect(try scene.ask("artists/7") != .refusal)
        try scene.store(Stored(Self.larger.target, document(album("1", [artist("8")])), after: 1))
        #expect(try scene.ask("artists/7") == .refusal)
        #expect(try scene.ask("artists/8") != .refusal)
    }

    // MARK: Looking

    /// An answer from the file has no map yet: it is made once, and kept with the answer.
    @Test func lookingKeepsTheMapThatItMadeAndPeekingDoesNot() throws {
        let scene = StoredScene()
        try scene.store([Taught.album, Self.larger])
        var unmapped = Self.larger
        (unmapped.isMapped, unmapped.isNoted) = (false, false)
        try scene.store(unmapped)
        let key = CacheKey(scope: .shared, target: try StoredScene.target(Self.larger.target).bytes)
        let peeked = try scene.compose("albums/1", isPeeking: true)
        if case .answer = peeked {} else { Issue.record("nothing is built where looking leaves no trace") }
        #expect(scene.cache.memory.lookup(key)?.outline == nil)
        #expect(try scene.ask("albums/1") == Self.answered)
        #expect(scene.cache.memory.lookup(key)?.outline != nil)
    }
}
