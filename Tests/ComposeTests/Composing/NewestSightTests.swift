import Testing

@testable import Compose

/// The newest answer that shows a resource or a list is the one that counts, in all others too.
@Suite struct NewestSightTests {
    /// Stored answers that an answer is composed of, and a newer one that contradicts them.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stored: [Stored]
        let newer: Stored
        let target: String
        /// A part of the answer that is composed without the newer one, and out of date with it.
        let outdated: String

        init(_ name: String, _ stored: [Stored], newer: Stored, _ target: String, outdated: String) {
            testDescription = name
            (self.stored, self.target, self.outdated) = (stored, target, outdated)
            var newer = newer
            newer.after = 5
            self.newer = newer
        }
    }

    /// The attribute of a resource, as a state of it has it.
    private static func name(_ type: String, _ id: String) -> String { "\"\(type) \(id)\"" }

    /// The same answer with another state of a resource.
    private static func renewed(_ type: String, _ id: String, _ body: String) -> String {
        body.replacing(name(type, id), with: "\"\(type) \(id), new\"")
    }

    private static func withArtist(_ album: String, _ artist: String) -> Stored {
        Stored("albums/\(album)?include=artists", document(ComposeTests.album(album, [ComposeTests.artist(artist)])))
    }

    private static func withNewArtist(_ album: String, _ artist: String) -> Stored {
        let old = withArtist(album, artist)
        return Stored(old.target, renewed("artists", artist, old.body))
    }

    private static func withGenres(_ album: String, _ artist: String) -> String {
        document(
            resource("albums", album, [relation("artists", [artistID(artist)]), relation("genres", [genre("34")])]))
    }

    private static func notFound(_ target: String) -> Stored {
        var stored = Stored(target, #"{"errors":[{"status":"404"}]}"#)
        stored.status = 404
        return stored
    }

    private static let forms = [Taught.album, Taught.albums, Taught.albumWithArtists, Taught.albumsWithArtists]
    private static let one = Stored("albums/1", document(album("1")))
    private static let two = Stored("albums/2", document(album("2")))
    private static let newArtist = Stored("artists/7", renewed("artists", "7", document(artist("7"))))
    private static let songs = ViewsTests.taught + [Stored("songs/90", document(resource("songs", "90")))]
    private static let page = CutWindowTests.page(1, "limit=20", 0..<20, next: 20)

    static let resources: [Case] = [
        Case(
            "the artist of both albums in a batch",
            forms + [Taught.artist, withArtist("1", "7"), withArtist("2", "7")],
            newer: Stored("albums?ids=2&include=artists", renewed("artists", "7", document(album("2", [artist("7")])))),
            "albums?ids=1,2&include=artists", outdated: name("artists", "7")),
        Case(
            "a whole album beside a newer one in another form",
            forms + [one, Stored("albums/3", document(album("3")))],
            newer: Stored(
                "albums?ids=1,3&include=artists",
                renewed("albums", "1", document(["1", "3"].map { album($0, [artist("7")]) }))),
            "albums?ids=1,3", outdated: name("albums", "1")),
        Case(
            "an artist inside one album and a newer one inside another",
            [Taught.albumWithArtists, Taught.artist, withArtist("2", "7")], newer: withNewArtist("1", "7"),
            "artists/7", outdated: name("artists", "7")),
        Case(
            "an artist inside an album and a newer one alone", forms + [Taught.artist, withArtist("1", "7")],
            newer: newArtist, "albums?ids=1&include=artists", outdated: name("artists", "7")),
        Case(
            "a song inside a view and a newer one alone", songs + [ViewsTests.both],
            newer: Stored("songs/5", renewed("songs", "5", document(resource("songs", "5")))),
            "artists/1?views=top-songs", outdated: name("songs", "5")),
        Case(
            "a list beside attributes that a newer answer has otherwise",
            [Taught.albumWithArtists, Taught.artist, one, Stored("artists/7", document(artist("7")))],
            newer: Stored("albums/1?include=genres", renewed("albums", "1", withGenres("1", "8"))),
            "albums/1?include=artists", outdated: name("artists", "7")),
        Case(
            "a list that a newer answer with the same attributes has otherwise",
            [Taught.albumWithArtists, Taught.artist, one, Stored("artists/7", document(artist("7")))],
            newer: Stored("albums/1?include=genres", withGenres("1", "8")),
            "albums/1?include=artists", outdated: name("artists", "7")),
    ]

    static let absences: [Case] = [
        Case(
            "an album of a batch that was not found alone since",
            forms + [Stored("albums?ids=1,2,3", document(["1", "2", "3"].map { album($0) }))],
            newer: notFound("albums/1"), "albums?ids=2,1", outdated: name("albums", "1")),
        Case(
            "an album that a newer batch lacks", forms + [one, two],
            newer: Stored("albums?ids=1,3", document(album("3"))), "albums?ids=2,1", outdated: name("albums", "1")),
        Case(
            "an absence before the album was seen inside a song",
            forms + [Stored("albums?ids=404,1", document(album("1"))), two],
            newer: Stored(
                "songs/5?include=albums",
                document(resource("songs", "5", [relation("albums", [resource("albums", "404")])]))),
            "albums?ids=2,404", outdated: document(album("2"))),
    ]

    static let pages: [Case] = [
        Case(
            "a page that begins otherwise by now", CutWindowTests.learnt + [page],
            newer: CutWindowTests.page(1, "limit=4", 100..<104, next: 4), "artists/1/albums?limit=10",
            outdated: name("albums", "1000")),
        Case(
            "the rest of a page that begins otherwise by now", CutWindowTests.learnt + [page],
            newer: CutWindowTests.page(1, "limit=4", 100..<104, next: 4), "artists/1/albums?limit=4&offset=4",
            outdated: name("albums", "1004")),
        Case(
            "a page that begins otherwise inside a newer artist", CutWindowTests.learnt + [page],
            newer: Stored(
                "artists/1?include=albums",
                document(
                    resource(
                        "artists", "1",
                        [
                            relation(
                                "albums", items("albums", 100..<125), next: "/v1/catalog/us/artists/1/albums?offset=25")
                        ]))),
            "artists/1/albums?limit=5&offset=2", outdated: name("albums", "1002")),
    ]

    @Test(arguments: resources + absences + pages) func anOlderStateIsNoPart(_ row: Case) throws {
        let before = StoredScene()
        try before.store(row.stored)
        let old = try before.ask(row.target)
        #expect(old.description.contains(row.outdated), "without the newer answer: \(old)")
        let scene = StoredScene()
        try scene.store(row.stored + [row.newer])
        let outcome = try scene.ask(row.target)
        #expect(!outcome.description.contains(row.outdated), "\(outcome)")
    }

    /// The file is read the newest first.
    @Test(arguments: resources + absences + pages) func theNewestStateCountsInAnyOrderOfTheFile(_ row: Case) throws {
        let scene = StoredScene()
        try scene.store([row.newer] + row.stored)
        let outcome = try scene.ask(row.target)
        #expect(!outcome.description.contains(row.outdated), "\(outcome)")
    }

    @Test func theNewestOfManySourcesCounts() throws {
        let scene = StoredScene()
        var newest = Self.withNewArtist("1", "7")
        newest.after = 5
        try scene.store([Taught.albumWithArtists, Taught.artist, newest])
        for album in 11...16 { try scene.store(Self.withArtist("\(album)", "7")) }
        #expect(try scene.ask("artists/7") == .answer(Self.newArtist.body, .reduced))
    }

    /// A resource that is back is composed, although it was not found before.
    @Test func aNotFoundBeforeTheAlbumWasSeenIsForgotten() throws {
        let scene = StoredScene()
        var back = Stored("albums?ids=1,2", document(["1", "2"].map { album($0) }))
        back.after = 5
        try scene.store(Self.forms + [Self.notFound("albums/1"), back])
        #expect(try scene.ask("albums?ids=2,1") == .reduced(["2", "1"].map { album($0) }))
    }
}
