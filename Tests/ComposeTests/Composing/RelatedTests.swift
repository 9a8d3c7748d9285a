import AppleMusic
import Testing

@testable import Compose

/// Misses that also ask for the ids in relationships of included resources, so that each is as
/// complete there as it is alone.
@Suite struct RelatedTests {
    private static func track(_ id: String, _ relations: [String] = []) -> String { resource("songs", id, relations) }

    /// A song as it is shown alone.
    private static func song(_ id: String, album: String) -> String {
        track(id, [relation("albums", [identifier("albums", album)]), relation("artists", [artistID("7")])])
    }

    private static func album(_ id: String, _ tracks: [String], _ artists: [String] = [artistID("7")]) -> String {
        document(resource("albums", id, [relation("artists", artists), relation("tracks", tracks)]))
    }

    private static func bareAlbum(_ id: String) -> String {
        resource("albums", id, [relation("artists", [artistID("7")]), relation("tracks", [track("90")])])
    }

    /// An album and its song, alone and as a track.
    private static let forms = [
        Stored("albums/9", album("9", [track("90"), track("91")])),
        Stored("songs/90", document(song("90", album: "9"))),
    ]
    private static let related = "albums/1?relate[songs]=albums,artists"
    private static let answer = Stored(related, album("1", [song("10", album: "1"), song("11", album: "1")]))

    private static let pair = Stored("albums?ids=8,9", document(["8", "9"].map(bareAlbum)))

    private func scene(_ stored: [Stored] = forms) throws -> StoredScene { try StoredScene(stored) }

    @Test func aMissBringsWhatMakesTracksWhole() throws {
        let inGerman = Self.forms.map { Stored($0.target + "?l=de", $0.body) }
        let scene = try scene(Self.forms + inGerman)
        #expect(try scene.ask("albums/1") == .fetch(Self.related))
        #expect(try scene.ask("albums/1?l=de") == .fetch("albums/1?l=de&relate[songs]=albums,artists"))
        #expect(try scene.ask("songs/1") == .refusal, "nothing is inside")
        #expect(try scene.ask("albums/1?extend=editorialVideo") == .refusal, "with other parameters each gets its own")
        #expect(try StoredScene(Self.forms) { $0.supersets = false }.ask("albums/1") == .refusal, "switched off")
    }

    @Test func theClientsAnswerAndSongsAreMadeOfIt() throws {
        let scene = try scene(Self.forms + [Self.answer])
        #expect(try scene.ask("albums/1") == .answer(Self.album("1", [Self.track("10"), Self.track("11")]), .reduced))
        #expect(try scene.ask("songs/11") == .reduced(Self.song("11", album: "1")))
        try scene.store(
            Stored("songs?ids=90,91", document([Self.song("90", album: "9"), Self.song("91", album: "9")])))
        let found = try scene.ask("songs?ids=11,10")
        #expect(found == .reduced([Self.song("11", album: "1"), Self.song("10", album: "1")]))
    }

    /// A song in an answer with `relate` was another resource than the song.
    @Test func aNewerSongIsServedInPlaceOfTheTrack() throws {
        let scene = try scene(Self.forms + [Self.answer])
        let newer = Self.song("11", album: "2")
        try scene.store(Stored("songs/11?include=genres", document(newer), after: 5))
        #expect(try scene.ask("songs/11") == .reduced(newer))
    }

    /// A client got such a batch in two requests: it was not seen that the first had no album 2.
    @Test func aBatchDoesTooAndShowsAbsences() throws {
        let larger = "albums?ids=1,2&relate[songs]=albums,artists"
        let scene = try scene(Self.forms + [Self.pair])
        #expect(try scene.ask("albums?ids=1,2") == .fetch(larger))
        try scene.store(Stored(larger, Self.album("1", [Self.song("10", album: "1")])))
        #expect(try scene.ask("albums?ids=1,2") == .answer(Self.album("1", [Self.track("10")]), .reduced))
        #expect(try scene.ask("albums?extend=editorialVideo&ids=2") == .refusal, "of other parameters it says nothing")
    }

    @Test func itComesWithWhatOthersWant() throws {
        let wide = Stored("albums/9?include=artists", Self.album("9", [Self.track("90")], [artist("7")]))
        let scene = try scene(Self.forms + [wide])
        let request = try StoredScene.request("albums/1?include=artists")
        for _ in 0..<20 { scene.library.growth.note(miss: request) }
        #expect(try scene.ask("albums/1") == .fetch("albums/1?include=artists&relate[songs]=albums,artists"))
    }

    // MARK: Pages of lists

    private static let page = Stored(
        "playlists/9/tracks?limit=2", document([track("90"), track("91")], next: "playlists/9/tracks?offset=2"))
    private static let relatedPage = "playlists/1/tracks?limit=2&relate[songs]=albums,artists"

    private static func pages(_ next: String?) -> [Stored] {
        [page, forms[1], Stored(relatedPage, document([song("10", album: "1"), song("11", album: "2")], next: next))]
    }

    @Test func aMissOfAPageDoesToo() throws {
        let scene = try scene([Self.page, Self.forms[1]])
        #expect(try scene.ask("playlists/1/tracks?limit=2") == .fetch(Self.relatedPage))
        #expect(try scene.ask("playlists/1/tracks?limit=3&offset=6") == .refusal, "how it links is not known")
    }

    /// A page was taken for none of its items, and so for no larger than another.
    @Test(arguments: [1_000, 100_000])
    func aPageThatIsMuchLargerWithIdsIsAskedForWithout(bytes: Int) throws {
        let ids = identifier("albums", String(repeating: "5", count: bytes))
        let song = Self.track("90", [relation("albums", [ids]), relation("artists", [artistID("7")])])
        let related = "playlists/9/tracks?limit=2&relate[songs]=albums,artists"
        let scene = try scene([
            Self.page, Self.forms[1], Stored(related, document([song, song], next: "playlists/9/tracks?offset=2")),
        ])
        let isSmall = bytes < ResourceSizes.mostFurther / 2
        #expect(try scene.ask("playlists/1/tracks?limit=2") == (isSmall ? .fetch(Self.relatedPage) : .refusal))
    }

    /// With gaps, only the page itself is certain to be the client's.
    @Test(arguments: ["playlists/1/tracks?offset=2", "playlists/1/tracks?offset=5", nil])
    func theClientsPageIsMadeOfIt(next: String?) throws {
        let scene = try scene(Self.pages(next))
        let found = try scene.ask("playlists/1/tracks?limit=2")
        #expect(found == .window([Self.track("10"), Self.track("11")], next: next))
        #expect(try scene.ask("songs/11") == .reduced(Self.song("11", album: "2")))
    }

    @Test func itShowsWhatThePageWouldShowOfTheList() throws {
        let library = try scene(Self.pages("playlists/1/tracks?offset=5")).library
        let form = try StoredScene.request("playlists/1/tracks").form
        #expect(library.forms.record(form, at: StoredScene.noon + 10)?.lists.cut == .filling)
    }

    private static let largerPage = "playlists/1/tracks?limit=100&offset=0&relate[songs]=albums,artists"

    /// Pages of a client that goes through a list.
    private static let walk = [
        page, forms[1],
        Stored(
            "playlists/9/tracks?limit=2&offset=2",
            document([track("92"), track("93")], next: "playlists/9/tracks?offset=4")),
        Stored("playlists/1/tracks?limit=20", document(items("songs", 0..<20), next: "playlists/1/tracks?offset=20")),
    ]

    @Test func aLargerPageDoesToo() throws {
        let scene = try scene(Self.walk)
        #expect(try scene.ask("playlists/1/tracks?limit=20&offset=20") == .fetch(Self.largerPage))
        let songs = (0..<100).map { Self.song("\(1_000 + $0)", album: "1") }
        try scene.store(Stored(Self.largerPage, document(songs, next: "playlists/1/tracks?offset=100")))
        let found = try scene.ask("playlists/1/tracks?limit=20&offset=20")
        #expect(found == .window(items("songs", 20..<40), next: "playlists/1/tracks?offset=40"))
        #expect(try scene.ask("songs/1077") == .reduced(Self.song("1077", album: "1")))
    }

    /// In vain it costs as much in the account of such ids as any.
    @Test func aLargerPageOfNoUseEndsThem() throws {
        let scene = try scene(Self.walk)
        #expect(try scene.ask("playlists/2/tracks?limit=2") != .refusal)
        _ = try scene.growUntilItRests("playlists/1/tracks?limit=20&offset=20", most: 4)
        #expect(try scene.ask("playlists/2/tracks?limit=2") == .refusal)
    }

    // MARK: Where nothing is added

    @Test func unknownFormsOfSongsAreNotAskedFor() throws {
        #expect(try scene(Array(Self.forms[..<1])).ask("albums/1") == .refusal, "no song was seen alone")
        #expect(try scene(Array(Self.forms[1...])).ask("albums/1") == .refusal, "no album was seen")
        let bare = Stored("songs/90", document(Self.track("90")))
        #expect(try scene([Self.forms[0], bare]).ask("albums/1") == .refusal, "songs show no more alone")
        let whole = Stored("albums/9", Self.album("9", [Self.song("90", album: "9")]))
        #expect(try scene([whole, Self.forms[1]]).ask("albums/1") == .refusal, "tracks show as much")
    }

    /// Ids would not make it whole.
    @Test func songsWithWholeResourcesAreNotAskedFor() throws {
        let song = Stored("songs/90", document(Self.track("90", [relation("albums", [resource("albums", "9")])])))
        #expect(try scene([Self.forms[0], song]).ask("albums/1") == .refusal)
        let unknown = Stored("songs/90", document(Self.track("90", [relation("covers", [identifier("songs", "9")])])))
        #expect(try scene([Self.forms[0], unknown]).ask("albums/1") == .refusal, "its name is not documented")
    }

    // MARK: Whether it pays

    @Test func songsThatAreMadeOfItPayForIt() throws {
        let scene = try scene()
        for number in 0..<200 {
            let album = "\(100 + number)"
            guard try scene.growAndSettle("albums/\(album)") else {
                Issue.record("it rests after \(number)")
                return
            }
            guard number % 10 == 0 else { continue }
            let song = Self.song("\(500 + number)", album: album)
            try scene.store(Stored("albums/\(album)?relate[songs]=albums,artists", Self.album(album, [song])))
            scene.library.growth.note(use: try scene.answer("songs/\(500 + number)").growth)
        }
    }
}
