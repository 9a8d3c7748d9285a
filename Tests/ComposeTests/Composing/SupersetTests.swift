import AppleMusic
import Testing

@testable import Compose

/// Misses that ask for the relationships that clients often include in addition to their own.
@Suite struct SupersetTests {
    /// Albums alone, with their artists, and with both relationships; batches too.
    private static let forms = ["albums/9", "albums/9?include=artists", "albums/9?include=artists,genres"].map {
        shown($0, artists: ["90"], genres: ["34"])
    }
    private static let batches = ["albums?ids=8,9", "albums?ids=8,9&include=artists,genres"].map {
        shown($0, artists: ["90"], genres: ["34"])
    }
    private static let wide = Outcome.fetch("albums/1?include=artists,genres")

    /// A scene in which clients often want artists and genres of albums.
    private func scene(
        _ stored: [Stored] = forms + batches, missing target: String = "albums/1?include=artists,genres",
        _ change: (inout CompositionSettings) -> Void = { _ in }
    ) throws -> StoredScene {
        let scene = try StoredScene(stored, change)
        let request = try StoredScene.request(target)
        for _ in 0..<20 { scene.library.growth.note(miss: request) }
        return scene
    }

    @Test func aMissBringsWhatOthersWant() throws {
        let inGerman = ["albums/9?l=de", "albums/9?include=artists,genres&l=de"].map {
            shown($0, artists: ["90"], genres: ["34"])
        }
        let scene = try scene(Self.forms + Self.batches + inGerman)
        for target in ["albums/1", "albums/1?include=artists"] { #expect(try scene.ask(target) == Self.wide) }
        #expect(try scene.ask("albums/1?l=de") == .fetch("albums/1?include=artists,genres&l=de"))
        #expect(try scene.ask("albums/1?include=artists,genres") == .refusal, "there is no more")
        #expect(try scene.ask("albums/1?extend=artistUrl") == .refusal, "with other parameters each gets its own")
        try scene.store(shown("albums/1?include=artists,genres", genres: ["21"]))
        #expect(try scene.ask("albums/1") == .reduced(album("1", [artistID("7")], [genreID("21")])))
        #expect(try scene.ask("albums/1?include=artists") == .reduced(album("1", [artist("7")], [genreID("21")])))
    }

    /// Heavier answers meet 504s (APPLE-MUSIC-API 4.1.20).
    @Test func aBatchDoesTooUnlessItIsLarge() throws {
        let scene = try scene()
        #expect(try scene.ask("albums?ids=1,2") == .fetch("albums?ids=1,2&include=artists,genres"))
        let ids = (100..<151).map(String.init).joined(separator: ",")
        #expect(try scene.ask("albums?ids=\(ids)") == .refusal)
        try scene.store(shown("albums/1", genres: ["21"]))
        #expect(try scene.ask("albums?ids=1,2") == .fetch("albums?ids=2&include=artists,genres"))
        #expect(
            try scene.ask("albums?ids=1,2,3") == .fetch("albums?ids=2,3&include=artists,genres"),
            "what is held is not asked for again")
    }

    @Test func onlyKnownFormsAreAskedFor() throws {
        #expect(try scene(Array(Self.forms[1...])).ask("albums/1") == .refusal, "the wanted form was never seen")
        #expect(try scene(Self.forms).ask("albums?ids=1,2") == .refusal, "no batch was seen")
        #expect(try scene().ask("albums/1", after: 20_000) == .refusal, "that was long ago")
        let artists = try scene(Self.forms + Self.batches + [Taught.artist])
        #expect(try artists.ask("artists/1") == .refusal, "types are counted apart")
    }

    /// A combination that no client asked for was never known.
    @Test func aFormThatWasNeverSeenIsTriedOnce() throws {
        let scene = try scene(Array(Self.forms[..<2]))
        guard case .partial(let supplement) = try scene.compose("albums/1"), let growth = supplement.growth else {
            Issue.record("it is not tried")
            return
        }
        #expect(below(supplement.target) == "albums/1?include=artists,genres")
        #expect(try scene.ask("albums/1") == Self.wide, "an operator's look is no try")
        scene.library.begin(growth, at: StoredScene.noon)
        #expect(try scene.ask("albums/2") == .fetch("albums/2?include=artists"), "the largest that was seen")
        // The origin answers in it, and from then on it is known.
        try scene.store(shown("albums/1?include=artists,genres", artists: ["90"], genres: ["21"]))
        #expect(try scene.ask("albums/2") == .fetch("albums/2?include=artists,genres"))
    }

    @Test func aRefusedFormRestsForAWeek() throws {
        let scene = try scene(Array(Self.forms[..<2]))
        scene.library.note(refused: try StoredScene.request("albums/1?include=artists,genres"), at: StoredScene.noon)
        #expect(try scene.ask("albums/1") == .fetch("albums/1?include=artists"))
        try scene.store(Self.forms[..<2].map { Stored($0.target, $0.body, after: 7 * 86_400 + 1) })
        #expect(try scene.ask("albums/1", after: 7 * 86_400 + 2) == Self.wide)
        // The refusal was of that one album.
        let other = try self.scene(Array(Self.forms[..<2]))
        other.library.note(refused: try StoredScene.request("albums/1?include=artists,genres"), at: StoredScene.noon)
        try other.store(shown("albums/5?include=artists,genres", artists: ["90"], genres: ["21"]))
        #expect(try other.ask("albums/2") == .fetch("albums/2?include=artists,genres"))
    }

    /// The client's own answer could not be made of it.
    @Test func aBatchThatIsNotUnderstoodIsNotEnlarged() throws {
        #expect(try scene().ask("albums?ids=1,1") == .refusal, "what becomes of duplicates is not known")
        let ones = ["albums?ids=9", "albums?ids=9&include=artists,genres"].map {
            shown($0, artists: ["90"], genres: ["34"])
        }
        let lonely = ["albums?ids=9,404", "albums?ids=9,404&include=artists,genres"].map {
            shown($0, artists: ["90"], genres: ["34"])
        }
        #expect(try scene(Self.forms + lonely).ask("albums?ids=1,2") == .refusal, "nor the order")
        let unordered = try scene(Self.forms + ones)
        #expect(try unordered.ask("albums?ids=1") == .fetch("albums?ids=1&include=artists,genres"))
    }

    /// Two names may be wanted often, and never together.
    @Test func whereTheLargestFormIsRefusedASmallerOneDoes() throws {
        let genres = shown("albums/9?include=genres", artists: ["90"], genres: ["34"])
        let scene = try scene(Array(Self.forms[..<2]) + [genres], missing: "albums/1")
        for (include, count) in [("artists", 9), ("genres", 11), ("made-up", 12)] {
            let request = try StoredScene.request("albums/1?include=\(include)")
            for _ in 0..<count { scene.library.note(miss: request, at: StoredScene.noon + 10) }
        }
        let both = Outcome.fetch("albums/1?include=artists,genres")
        #expect(try scene.ask("albums/1") == both, "once, and without a name that no answer showed")
        scene.library.note(refused: try StoredScene.request("albums/1?include=artists,genres"), at: StoredScene.noon)
        #expect(try scene.ask("albums/1") == .fetch("albums/1?include=genres"))
    }

    // MARK: Views

    private static func topSongs(_ song: String) -> String { relation("top-songs", [resource("songs", song)]) }
    private static func albumID(_ id: String) -> String { identifier("albums", id) }

    /// Artists alone, with a view, with their albums, and with both.
    private static let artistForms = [
        Stored("artists/9", artistShown("9", [albumID("3")])),
        Stored("artists/9?views=top-songs", artistShown("9", [albumID("3")], [topSongs("5")])),
        Stored("artists/9?include=albums", artistShown("9", [resource("albums", "3")])),
        Stored(
            "artists/9?include=albums&views=top-songs", artistShown("9", [resource("albums", "3")], [topSongs("5")])),
    ]

    /// Clients that read the artist and then the list cost the proxy its larger requests: it rested
    /// after fifty that had spared one each.
    @Test(arguments: [true, false]) func aListInsideALargerAnswerIsAUseOfIt(isRead: Bool) throws {
        let scene = try scene(Self.artistForms, missing: "artists/1?include=albums&views=top-songs")
        var asked = 0
        for id in 100..<300 {
            guard try scene.growAndSettle("artists/\(id)?views=top-songs") else { break }
            asked += 1
            let list = try StoredScene.request("artists/\(id)/albums")
            // The second window of one list spares no more.
            for _ in 0..<(isRead && id % 5 == 0 ? 2 : 0) {
                scene.library.growth.note(use: .superset(Superset(ownerOf: list)))
            }
        }
        #expect(isRead ? asked == 200 : (20...100).contains(asked), "\(asked)")
    }

    @Test func viewsAreWantedAsRelationshipsAre() throws {
        let scene = try scene(Array(Self.artistForms[..<2]), missing: "artists/1?views=top-songs")
        #expect(try scene.ask("artists/1") == .fetch("artists/1?views=top-songs"))
        #expect(try scene.ask("artists/1?views=top-songs") == .refusal, "there is no more")
        try scene.store(
            Stored("artists/1?views=top-songs", artistShown("1", [Self.albumID("4")], [Self.topSongs("6")])))
        #expect(try scene.ask("artists/1") == .answer(artistShown("1", [Self.albumID("4")]), .reduced))
        // Batches show none (APPLE-MUSIC-API 4.3.5).
        let batched = try self.scene(
            Self.artistForms + [shown("artists?ids=8,9")], missing: "artists/1?views=top-songs")
        #expect(try batched.ask("artists?ids=1,2") == .refusal)
    }

    @Test func aMissWithViewsBringsRelationships() throws {
        let scene = try scene(Self.artistForms, missing: "artists/1?include=albums")
        let both = "artists/1?include=albums&views=top-songs"
        #expect(try scene.ask("artists/1?views=top-songs") == .fetch(both))
        try scene.store(Stored(both, artistShown("1", [resource("albums", "4")], [Self.topSongs("6")])))
        let viewed = artistShown("1", [Self.albumID("4")], [Self.topSongs("6")])
        #expect(try scene.ask("artists/1?views=top-songs") == .answer(viewed, .reduced))
        let included = artistShown("1", [resource("albums", "4")])
        #expect(try scene.ask("artists/1?include=albums") == .answer(included, .reduced))
    }

    /// The client would wait for them.
    @Test func manyBytesAreNotAskedFor() throws {
        for (bytes, isAsked) in [(ResourceSizes.mostFurther / 2, true), (ResourceSizes.mostFurther * 2, false)] {
            let views = [Self.topSongs(String(repeating: "5", count: bytes / 3))]
            let large = Stored("artists/9?views=top-songs", artistShown("9", [Self.albumID("3")], views))
            let scene = try scene([Self.artistForms[0], large], missing: "artists/1?views=top-songs")
            #expect(try scene.ask("artists/1") == (isAsked ? .fetch("artists/1?views=top-songs") : .refusal))
        }
    }

    // MARK: Where nothing is added

    @Test func itCanBeSwitchedOff() throws {
        #expect(try scene(Self.forms) { $0.supersets = false }.ask("albums/1") == .refusal)
        for mode in [CompositionSettings.Mode.off, .verify] {
            #expect(try scene(Self.forms) { $0.compose = mode }.ask("albums/1") == .refusal, "nothing is composed")
        }
    }

    // MARK: Whether it pays

    /// An origin that is too slow for it, or whose answer cannot be taken apart.
    @Test func uselessRequestsEndIt() throws {
        let scene = try scene()
        #expect(try scene.growUntilItRests("albums/1") == 4)
        let miss = try StoredScene.request("albums/1?include=artists,genres")
        for _ in 0..<GrowthAccounts.missesForOne {
            #expect(try scene.ask("albums/1", after: 9_000) == .refusal, "time alone ends no rest")
            scene.library.growth.note(miss: miss)
        }
        #expect(try scene.ask("albums/1", after: 9_000) == Self.wide)
    }

    /// Clients that asked for the larger answer itself were not counted, and it rested after 49
    /// though each was of use.
    @Test(arguments: [false, true]) func composedAnswersAndPlainHitsPayForIt(isPlain: Bool) throws {
        let scene = try scene()
        for number in 0..<200 {
            let target = "albums/\(100 + number)"
            guard try scene.growAndSettle(target) else {
                Issue.record("it rests after \(number)")
                return
            }
            if isPlain {
                scene.library.growth.note(useOf: Array("/v1/catalog/us/\(target)?include=artists,genres".utf8))
                continue
            }
            for include in ["", "?include=artists"] {
                let request = try StoredScene.request(target + include)
                scene.library.growth.note(use: .superset(Superset(request: request, resources: request.resources)))
            }
        }
    }
}
