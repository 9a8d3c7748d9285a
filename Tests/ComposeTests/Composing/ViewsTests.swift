import Testing

@testable import Compose

/// `views` chooses members of a single resource, as `include` does.
@Suite struct ViewsTests {
    private static func view(_ name: String, _ songs: [String], next: String? = nil) -> String {
        let list = relation(name, songs.map { resource("songs", $0) }, next: next)
        return list.replacing("\"data\"", with: "\"attributes\":{\"title\":\"\(name)\"},\"data\"")
    }

    private static func artist(_ id: String, _ views: [String] = []) -> String {
        artistShown(id, [identifier("albums", "3")], views)
    }

    static let taught = [
        Stored("artists/9", artist("9")),
        Stored("artists/9?views=top-songs", artist("9", [view("top-songs", ["90", "91"])])),
    ]
    static let both = Stored(
        "artists/1?views=singles,top-songs", artist("1", [view("singles", ["4"]), view("top-songs", ["5", "6"])]))

    private static let viewed =
        taught + [
            Stored(
                "artists/9/view/top-songs?limit=2",
                document(items("songs", 90..<92), next: "artists/9/view/top-songs?limit=2&offset=2")),
            Stored(
                "artists/1?views=top-songs",
                artist("1", [view("top-songs", ["5", "6"], next: "/v1/catalog/us/artists/1/view/top-songs?offset=2")])),
        ]

    static let rows: [Row] = [
        Row("an artist without views", taught + [both], "artists/1", .answer(artist("1"), .reduced)),
        Row(
            "one view of two", taught + [both], "artists/1?views=top-songs",
            .answer(artist("1", [view("top-songs", ["5", "6"])]), .reduced)),
        Row("another view", taught + [both], "artists/1?views=similar-artists", refused: "item form-never-seen"),
        Row(
            "one view out of another one",
            taught + [Stored("artists/1?views=singles", artist("1", [view("singles", ["4"])]))],
            "artists/1?views=top-songs", refused: "item relationship-not-held"),
        Row(
            "a view out of a relationship of the same name",
            [
                Stored("artists/9?views=albums", artist("9", [view("albums", ["90"])])),
                Stored("artists/1", artist("1")),
            ], "artists/1?views=albums", refused: "item relationship-not-held"),
        Row(
            "a view's own page out of the view inside the artist",
            viewed + [Stored("artists/9?views=top-songs", artist("9", [view("top-songs", ["1090", "1091"])]))],
            "artists/1/view/top-songs?limit=2",
            .window(
                [resource("songs", "5"), resource("songs", "6")], next: "artists/1/view/top-songs?limit=2&offset=2")),
        Row(
            "not before songs were seen in both", viewed, "artists/1/view/top-songs?limit=2",
            refused: "window places-never-compared"),
        // Batches show no views, and a song looks the same in every place once that was seen.
        Row("a song out of a view", taught + [both, shown("songs/90")], "songs/5", .reduced(resource("songs", "5"))),
    ]

    @Test(arguments: rows) func isASelection(_ row: Row) throws { try row.check() }
}
