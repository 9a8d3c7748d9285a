import AppleMusic
import Testing

@testable import Cache
@testable import Compose
@testable import Freshness

/// Answers that are never part of another one.
///
/// Either their circumstances differ, or no answer is made of their kind.
@Suite struct ApartAnswersTests {
    /// A stored larger form of a resource, where a request for the plain one comes.
    private static func stored(_ larger: String, asking target: String) -> [Stored] {
        [
            shown(target.replacing("albums/1", with: "albums/9"), artists: ["90"]),
            shown(larger + (larger.contains("?") ? "&" : "?") + "include=artists"),
        ]
    }

    private static let gb = "/v1/catalog/gb/albums/1"

    static let alike: [Row] = ["albums/1?l=de", gb, "albums/1?extend=a", "albums/1?x=1"].map { target in
        Row(target, stored(target, asking: target), target, .reduced(album("1")))
    }

    static let apart: [Row] = [
        ("albums/1?l=de", "albums/1?l=en"), ("albums/1?l=de", "albums/1"), ("albums/1", "albums/1?l=de"),
        (gb, "albums/1"), ("albums/1?extend=a", "albums/1?extend=b"), ("albums/1?extend=a", "albums/1"),
        ("albums/1", "albums/1?extend=a"), ("albums/1?x=1", "albums/1?x=2"), ("albums/1?x=1", "albums/1"),
        ("albums/1?x=1", "albums/1?x=1&y=1"),
    ].map { larger, target in
        Row("\(target) out of \(larger)", stored(larger, asking: target), target, refused: "item not-held")
    }

    /// A list of albums, alone or in its artist.
    private static func listed(_ artist: Int, _ query: String, _ places: Range<Int>) -> Stored {
        let list = relation("albums", items("albums", places))
        return Stored("artists/\(artist)?\(query)include=albums", document(resource("artists", "\(artist)", [list])))
    }

    private static let agreed = [Taught.album, Taught.albums, shown("albums/2")]

    static let lists: [Row] = [
        Row(
            "an absence in another storefront", agreed + [shown("/v1/catalog/gb/albums?ids=404,1")],
            "albums?ids=404,2", .fetch("albums?ids=404")),
        Row(
            "an absence in another language", agreed + [shown("albums?ids=404,1&l=de")], "albums?ids=404,2",
            .fetch("albums?ids=404")),
        Row(
            "a list inside a parent that came with an extension",
            Taught.pages + [
                listed(9, "", 0..<4),
                Stored("artists/9/albums?extend=a&limit=30", document(items("albums", 0..<3))),
                listed(1, "extend=a&", 0..<3),
            ], "artists/1/albums?extend=a&limit=30", refused: "window not-held"),
        Row(
            "a list as long as another form with the same extension has shown it",
            [
                shown("albums/9?extend=a", artists: ["90"]),
                shown("albums/1?extend=a&include=genres", artists: ["7", "8"]),
            ], "albums/1?extend=a", .reduced(album("1", [artistID("7"), artistID("8")]))),
    ]

    @Test(arguments: alike + apart + lists) func circumstancesAreKeptApart(_ row: Row) throws { try row.check() }

    // MARK: Answers that are no part

    private static let larger = shown("albums/1?include=artists")
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

    @Test func onlyASharedAnswerOfTheOriginsIsAPart() throws {
        #expect(try ask() == Self.answered)
        for status in [203, 206, 404] { #expect(try ask { $0.status = status } == .refusal, "\(status)") }
        #expect(try ask { $0.variant = "de" } == .refusal, "request fields chose it")
        #expect(try ask { $0.isNoted = false } == .refusal, "the library did not hear of it")
        #expect(try ask(ResourceClasses { $0 != .albums }) == .refusal, "its class follows the origin")
        #expect(try ask(ResourceClasses { $0 != .artists }) == Self.answered)
    }

    @Test func aPersonalAnswerIsNoPart() throws {
        let scene = try StoredScene([Taught.album])
        let target = try StoredScene.target(Self.larger.target)
        let body = Array(Self.larger.body.utf8)
        let personal = StoredResponse(
            key: CacheKey(of: .none, scope: .personal(UserHash(bits: 1)), target: target.bytes), status: 200,
            fields: [],
            body: body, receivedAt: StoredScene.noon, lifetime: Lifetime(freshFor: 1_000),
            classTag: ResourceClass.albums.rawValue, storefront: Array("us".utf8), outline: DocumentScan(body).document)
        scene.cache.store(personal)
        scene.library.note(personal, at: StoredScene.noon)
        #expect(scene.library.index.count == 2, "album 9 and its list")
        #expect(try scene.ask("albums/1") == .refusal)
    }

    /// Else answers would be composed of composed ones, and outlive them.
    @Test func aComposedAnswerIsNoPart() throws {
        let scene = try StoredScene([
            Taught.album, Taught.albumWithArtists, Taught.artist, Taught.artists, shown("albums/1"), shown("artists/7"),
        ])
        let composed = try scene.answer("albums/1?include=artists")
        let target = try StoredScene.target("albums/1?include=artists")
        let made = StoredResponse(
            composed: composed.body, key: CacheKey(of: .none, scope: .shared, target: target.bytes),
            parts: composed.parts.map(\.response), detail: composed.detail, receivedAt: StoredScene.noon,
            born: 0, lifetime: composed.lifetime, classTag: ResourceClass.albums.rawValue)
        #expect(
            scene.cache.store(
                composed: made, from: composed.parts.map(\.response), whileContradictionsAre: composed.contradictions))
        let known = scene.library.index.count
        let map = try #require(DocumentScan(made.body).document)
        scene.library.note(made.with(outline: map), at: StoredScene.noon)
        #expect(scene.library.index.count == known)
    }

    // MARK: Noted answers that have gone or changed

    @Test(arguments: [
        document(album("2", [artist("7")])), document(resource("songs", "1", [relation("artists", [artist("7")])])),
        document([]), "no document",
    ])
    func aPlaceWhereAnotherResourceStandsByNowIsNoSource(body: String) throws {
        let changed = Stored(Self.larger.target, body, isNoted: false)
        #expect(try StoredScene([Taught.album, Self.larger, changed]).ask("albums/1") == .refusal)
    }

    @Test func aReplacedAnswerIsNoSourceOfItsFormerParts() throws {
        let scene = try StoredScene([Taught.album, Taught.albumWithArtists, Taught.artist, Self.larger])
        #expect(try scene.ask("artists/7") != .refusal)
        try scene.store(shown(Self.larger.target, artists: ["8"], after: 1))
        #expect(try scene.ask("artists/7") == .refusal)
        #expect(try scene.ask("artists/8") != .refusal)
    }

    // MARK: Looking

    /// An answer from the file has no map yet: it is made once, and kept with the answer.
    @Test func lookingKeepsTheMapThatItMadeAndPeekingDoesNot() throws {
        var unmapped = Self.larger
        (unmapped.isMapped, unmapped.isNoted) = (false, false)
        let scene = try StoredScene([Taught.album, Self.larger, unmapped])
        let key = CacheKey(of: .none, scope: .shared, target: try StoredScene.target(Self.larger.target).bytes)
        let peeked = try scene.compose("albums/1", isPeeking: true)
        if case .answer = peeked {} else { Issue.record("nothing is built where looking leaves no trace") }
        #expect(scene.cache.memory.lookup(key)?.outline == nil)
        #expect(try scene.ask("albums/1") == Self.answered)
        #expect(scene.cache.memory.lookup(key)?.outline != nil)
    }
}
