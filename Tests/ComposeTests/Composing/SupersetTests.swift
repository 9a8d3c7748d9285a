import AppleMusic
import Testing

@testable import Compose

/// Misses that ask for the relationships that clients often include in addition to their own.
@Suite struct SupersetTests {
    /// Albums alone, with their artists, and with both relationships; batches too.
    private static let forms = [
        Stored("albums/9", document(album("9", [artistID("90")], [genreID("34")]))),
        Stored("albums/9?include=artists", document(album("9", [artist("90")], [genreID("34")]))),
        Stored("albums/9?include=artists,genres", document(album("9", [artist("90")], [genre("34")]))),
    ]
    private static let batches = [
        Stored(
            "albums?ids=8,9",
            document([album("8", [artistID("90")], [genreID("34")]), album("9", [artistID("90")], [genreID("34")])])),
        Stored(
            "albums?ids=8,9&include=artists,genres",
            document([album("8", [artist("90")], [genre("34")]), album("9", [artist("90")], [genre("34")])])),
    ]

    /// A scene in which clients often want artists and genres of albums.
    private func scene(
        _ stored: [Stored] = forms + batches, _ settings: CompositionSettings = CompositionSettings(),
        missing include: String = "artists,genres"
    ) throws -> StoredScene {
        let scene = StoredScene(settings)
        try scene.store(stored)
        let request = try StoredScene.request("albums/1" + (include.isEmpty ? "" : "?include=\(include)"))
        for _ in 0..<20 { scene.library.growth.note(miss: request) }
        return scene
    }

    private func fetch(_ target: String) -> Outcome { .fetch("/v1/catalog/us/" + target) }

    @Test func aMissBringsWhatOthersWant() throws {
        let scene = try scene()
        let wide = fetch("albums/1?include=artists,genres")
        #expect(try scene.ask("albums/1") == wide)
        #expect(try scene.ask("albums/1?include=artists") == wide)
        #expect(try scene.ask("albums/1?l=de") == fetch("albums/1?include=artists,genres&l=de"))
        #expect(try scene.ask("albums/1?include=artists,genres") == .refusal, "there is no more")
    }

    @Test func theAnswersAreMadeOfIt() throws {
        let scene = try scene()
        try scene.store(Stored("albums/1?include=artists,genres", document(album("1", [artist("7")], [genre("21")]))))
        #expect(try scene.ask("albums/1") == .reduced(album("1", [artistID("7")], [genreID("21")])))
        #expect(try scene.ask("albums/1?include=artists") == .reduced(album("1", [artist("7")], [genreID("21")])))
    }

    @Test func aBatchDoesToo() throws {
        let scene = try scene()
        #expect(try scene.ask("albums?ids=1,2") == fetch("albums?ids=1,2&include=artists,genres"))
        try scene.store(Stored("albums/1", document(album("1", [artistID("7")], [genreID("21")]))))
        #expect(
            try scene.ask("albums?ids=1,2") == fetch("albums?ids=2&include=artists,genres"),
            "what is held is not asked for again")
    }

    /// Heavier answers meet 504s (APPLE-MUSIC-API 4.1.20).
    @Test func aLargeBatchDoesNot() throws {
        let scene = try scene()
        let ids = (100..<151).map(String.init).joined(separator: ",")
        #expect(try scene.ask("albums?ids=\(ids)") == .refusal)
    }

    @Test func onlyKnownFormsAreAskedFor() throws {
        #expect(try scene(Array(Self.forms[1...])).ask("albums/1") == .refusal, "the wanted form was never seen")
        #expect(
            try scene(Array(Self.forms[..<2])).ask("albums/1") == fetch("albums/1?include=artists"),
            "the largest one was never seen")
        #expect(try scene(Array(Self.forms[..<1])).ask("albums/1") == .refusal, "no larger one was seen")
        #expect(try scene(Self.forms).ask("albums?ids=1,2") == .refusal, "no batch was seen")
        #expect(try scene().ask("albums/1", after: 20_000) == .refusal, "that was long ago")
    }

    /// The client's own answer could not be made of it.
    @Test func aBatchThatIsNotUnderstoodIsNotEnlarged() throws {
        let scene = try scene()
        #expect(try scene.ask("albums?ids=1,1") == .refusal, "what becomes of duplicates is not known")
        let one = Stored("albums?ids=9", document(album("9", [artistID("90")], [genreID("34")])))
        let both = Stored("albums?ids=9&include=artists,genres", document(album("9", [artist("90")], [genre("34")])))
        let unordered = try self.scene(Self.forms + [one, both])
        #expect(try unordered.ask("albums?ids=1,2") == .refusal, "nor the order")
        #expect(try unordered.ask("albums?ids=1") == fetch("albums?ids=1&include=artists,genres"))
    }

    /// Two names may be wanted often, and never together.
    @Test func whereTheLargestFormWasNeverSeenASmallerOneDoes() throws {
        let genres = Stored("albums/9?include=genres", document(album("9", [artistID("90")], [genre("34")])))
        let scene = try scene(Array(Self.forms[..<2]) + [genres], missing: "")
        for (include, count) in [("artists", 9), ("genres", 11), ("made-up", 12)] {
            let request = try StoredScene.request("albums/1?include=\(include)")
            for _ in 0..<count { scene.library.note(miss: request, at: StoredScene.noon + 10) }
        }
        #expect(try scene.ask("albums/1") == fetch("albums/1?include=genres"))
    }

    @Test func withOtherParametersEachGetsItsOwn() throws {
        #expect(try scene().ask("albums/1?extend=artistUrl") == .refusal)
    }

    // MARK: Views

    private static func artistShown(_ id: String, _ albums: [String], _ views: [String] = []) -> String {
        let shown = resource("artists", id, [relation("albums", albums)])
        guard !views.isEmpty else { return document(shown) }
        return document(String(shown.dropLast()) + ",\"views\":{\(views.joined(separator: ","))}}")
    }

    private static func topSongs(_ song: String) -> String { relation("top-songs", [resource("songs", song)]) }

    /// Artists alone, with their albums, and with both albums and a view.
    private static let artistForms = [
        Stored("artists/9", artistShown("9", [identifier("albums", "3")])),
        Stored("artists/9?views=top-songs", artistShown("9", [identifier("albums", "3")], [topSongs("5")])),
        Stored("artists/9?include=albums", artistShown("9", [resource("albums", "3")])),
        Stored(
            "artists/9?include=albums&views=top-songs", artistShown("9", [resource("albums", "3")], [topSongs("5")])),
    ]

    /// A scene in which clients often want this of artists.
    private func artistScene(_ query: String, _ stored: [Stored] = artistForms) throws -> StoredScene {
        let scene = StoredScene()
        try scene.store(stored)
        let request = try StoredScene.request("artists/1" + query)
        for _ in 0..<20 { scene.library.note(miss: request, at: StoredScene.noon + 10) }
        return scene
    }

    @Test func viewsAreWantedAsRelationshipsAre() throws {
        let scene = try artistScene("?views=top-songs", Array(Self.artistForms[..<2]))
        #expect(try scene.ask("artists/1") == fetch("artists/1?views=top-songs"))
        #expect(try scene.ask("artists/1?views=top-songs") == .refusal, "there is no more")
        try scene.store(
            Stored(
                "artists/1?views=top-songs", Self.artistShown("1", [identifier("albums", "4")], [Self.topSongs("6")])))
        #expect(try scene.ask("artists/1") == .answer(Self.artistShown("1", [identifier("albums", "4")]), .reduced))
    }

    @Test func aMissWithViewsBringsRelationships() throws {
        let scene = try artistScene("?include=albums")
        #expect(try scene.ask("artists/1?views=top-songs") == fetch("artists/1?include=albums&views=top-songs"))
        try scene.store(
            Stored(
                "artists/1?include=albums&views=top-songs",
                Self.artistShown("1", [resource("albums", "4")], [Self.topSongs("6")])))
        #expect(
            try scene.ask("artists/1?views=top-songs")
                == .answer(Self.artistShown("1", [identifier("albums", "4")], [Self.topSongs("6")]), .reduced))
        #expect(
            try scene.ask("artists/1?include=albums")
                == .answer(Self.artistShown("1", [resource("albums", "4")]), .reduced))
    }

    /// Batches show none (APPLE-MUSIC-API 4.3.5).
    @Test func aBatchAsksForNoViews() throws {
        let pair = [Stored("artists?ids=8,9", document([resource("artists", "8"), resource("artists", "9")]))]
        #expect(try artistScene("?views=top-songs", Self.artistForms + pair).ask("artists?ids=1,2") == .refusal)
    }

    /// The client would wait for them.
    @Test func manyBytesAreNotAskedFor() throws {
        func scene(of bytes: Int) throws -> StoredScene {
            let forms = [
                Self.artistForms[0],
                Stored(
                    "artists/9?views=top-songs",
                    Self.artistShown(
                        "9", [identifier("albums", "3")], [Self.topSongs(String(repeating: "5", count: bytes / 3))])),
            ]
            return try artistScene("?views=top-songs", forms)
        }
        #expect(try scene(of: ResourceSizes.mostFurther / 2).ask("artists/1") == fetch("artists/1?views=top-songs"))
        #expect(try scene(of: ResourceSizes.mostFurther * 2).ask("artists/1") == .refusal)
    }

    // MARK: Where nothing is added

    @Test func typesAreCountedApart() throws {
        let scene = try scene()
        try scene.store([Taught.artist])
        #expect(try scene.ask("artists/1") == .refusal)
    }

    @Test(arguments: [CompositionSettings.Mode.off, .verify])
    func whereNothingIsComposedNothingIsAdded(mode: CompositionSettings.Mode) throws {
        var settings = CompositionSettings()
        settings.compose = mode
        #expect(try scene(Self.forms, settings).ask("albums/1") == .refusal)
    }

    @Test func itCanBeSwitchedOff() throws {
        var settings = CompositionSettings()
        settings.supersets = false
        #expect(try scene(Self.forms, settings).ask("albums/1") == .refusal)
    }

    // MARK: Whether it pays

    /// An origin that is too slow for it, or whose answer cannot be taken apart.
    @Test func uselessRequestsEndIt() throws {
        let scene = try scene()
        var tries = 0
        while case .partial(let supplement) = try scene.compose("albums/1"), tries < 100 {
            scene.library.growth.begin(try #require(supplement.growth))
            tries += 1
        }
        #expect(tries == 4)
        let miss = try StoredScene.request("albums/1?include=artists,genres")
        for _ in 0..<GrowthAccounts.missesForOne {
            #expect(try scene.ask("albums/1", after: 9_000) == .refusal, "time alone ends no rest")
            scene.library.growth.note(miss: miss)
        }
        #expect(try scene.ask("albums/1", after: 9_000) == fetch("albums/1?include=artists,genres"))
    }

    @Test func composedAnswersPayForIt() throws {
        let scene = try scene()
        try ask(scene) { target in
            for include in ["", "?include=artists"] {
                let request = try StoredScene.request(target + include)
                scene.library.growth.note(use: .superset(Superset(request: request, resources: request.resources)))
            }
        }
    }

    /// Clients that asked for the larger answer itself were not counted, and it rested after 49
    /// though each was of use.
    @Test func thePlainHitPaysForIt() throws {
        let scene = try scene()
        try ask(scene) { target in
            scene.library.growth.note(useOf: Array("/v1/catalog/us/\(target)?include=artists,genres".utf8))
        }
    }

    /// Asks for 200 albums, each of which is of use.
    private func ask(_ scene: StoredScene, _ use: (String) throws -> Void) throws {
        for number in 0..<200 {
            let target = "albums/\(100 + number)"
            guard case .partial(let supplement) = try scene.compose(target) else {
                Issue.record("it rests after \(number)")
                return
            }
            let growth = try #require(supplement.growth)
            scene.library.growth.begin(growth)
            scene.library.growth.settle(growth)
            try use(target)
        }
    }
}
