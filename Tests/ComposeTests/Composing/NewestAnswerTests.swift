import Testing

@testable import Compose

/// The newest answer that shows a resource or a list is the one that counts, in all others too.
@Suite struct NewestAnswerTests {
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
    private static func renewed(_ type: String, _ id: String, _ old: Stored) -> Stored {
        Stored(old.target, old.body.replacing(name(type, id), with: "\"\(type) \(id), new\""))
    }

    private static func notFound(_ target: String) -> Stored {
        var stored = Stored(target, #"{"errors":[{"status":"404"}]}"#)
        stored.status = 404
        return stored
    }

    private static let forms = [Taught.album, Taught.albums, Taught.albumWithArtists, Taught.albumsWithArtists]
    private static let expanded = [Taught.albumWithArtists, Taught.artist, shown("albums/1"), shown("artists/7")]
    private static let songs = ViewsTests.taught + [shown("songs/90"), ViewsTests.both]
    private static let withGenres = shown("albums/1?include=genres", artists: ["8"], genres: ["34"])
    private static let pages = Taught.pages + [page(1, "limit=20", 0..<20, next: 20)]
    private static let otherBeginning = page(1, "limit=4", 100..<104, next: 4)
    private static let otherArtist = Stored(
        "artists/1?include=albums",
        document(
            resource(
                "artists", "1",
                [relation("albums", items("albums", 100..<125), next: "/v1/catalog/us/artists/1/albums?offset=25")])))
    private static let inSong = Stored(
        "songs/5?include=albums",
        document(resource("songs", "5", [relation("albums", [resource("albums", "404")])])))

    static let cases: [Case] = [
        Case(
            "the artist of both albums in a batch",
            forms + [Taught.artist, shown("albums/1?include=artists"), shown("albums/2?include=artists")],
            newer: renewed("artists", "7", shown("albums?ids=2&include=artists")), "albums?ids=1,2&include=artists",
            outdated: name("artists", "7")),
        Case(
            "a whole album beside a newer one in another form", forms + [shown("albums/1"), shown("albums/3")],
            newer: renewed("albums", "1", shown("albums?ids=1,3&include=artists")), "albums?ids=1,3",
            outdated: name("albums", "1")),
        Case(
            "an artist inside one album and a newer one inside another",
            [Taught.albumWithArtists, Taught.artist, shown("albums/2?include=artists")],
            newer: renewed("artists", "7", shown("albums/1?include=artists")), "artists/7",
            outdated: name("artists", "7")),
        Case(
            "an artist inside an album and a newer one alone",
            forms + [Taught.artist] + ["1", "2"].map { shown("albums/\($0)?include=artists") },
            newer: renewed("artists", "7", shown("artists/7")), "albums?ids=1,2&include=artists",
            outdated: name("artists", "7")),
        Case(
            "a song inside a view and a newer one alone", songs, newer: renewed("songs", "5", shown("songs/5")),
            "artists/1?views=top-songs", outdated: name("songs", "5")),
        Case(
            "a list beside attributes that a newer answer has otherwise", expanded,
            newer: renewed("albums", "1", withGenres), "albums/1?include=artists", outdated: name("artists", "7")),
        Case(
            "a list that a newer answer with the same attributes has otherwise", expanded, newer: withGenres,
            "albums/1?include=artists", outdated: name("artists", "7")),
        Case(
            "an album of a batch that was not found alone since", forms + [shown("albums?ids=1,2,3")],
            newer: notFound("albums/1"), "albums?ids=2,1", outdated: name("albums", "1")),
        Case(
            "an album that a newer batch lacks", forms + [shown("albums/1"), shown("albums/2")],
            newer: Stored("albums?ids=1,3", document(album("3"))), "albums?ids=2,1", outdated: name("albums", "1")),
        Case(
            "an absence before the album was seen inside a song",
            forms + [shown("albums?ids=404"), shown("albums/2")], newer: inSong, "albums?ids=2,404",
            outdated: document(album("2"))),
        Case(
            "a page with another beginning", pages, newer: otherBeginning, "artists/1/albums?limit=10",
            outdated: name("albums", "1000")),
        Case(
            "the rest of a page that begins otherwise by now", pages, newer: otherBeginning,
            "artists/1/albums?limit=4&offset=4", outdated: name("albums", "1004")),
        Case(
            "a page that begins otherwise inside a newer artist", pages, newer: otherArtist,
            "artists/1/albums?limit=5&offset=2", outdated: name("albums", "1002")),
    ]

    /// The file is read the newest first.
    @Test(arguments: cases) func anOlderStateIsNoPartWhicheverCameFirst(_ row: Case) throws {
        let old = try StoredScene(row.stored).ask(row.target)
        #expect(old.description.contains(row.outdated), "without the newer answer: \(old)")
        for stored in [row.stored + [row.newer], [row.newer] + row.stored] {
            let outcome = try StoredScene(stored).ask(row.target)
            #expect(!outcome.description.contains(row.outdated), "\(outcome)")
        }
    }

    /// A resource that is back is composed, although it was not found before.
    @Test func aNotFoundBeforeTheAlbumWasSeenIsForgotten() throws {
        let back = shown("albums?ids=1,2", after: 5)
        let scene = try StoredScene(Self.forms + [Self.notFound("albums/1"), back])
        #expect(try scene.ask("albums?ids=2,1") == .reduced(["2", "1"].map { album($0) }))
    }
}
