import Testing

@testable import Compose

/// Items that come out of larger ones.
@Suite struct ReducedItemTests {
    private static let whole = shown("albums/1?include=artists")

    /// A list or search results of album 9 as it is taught, and of album 1.
    private static func listed(_ one: String) -> Stored {
        Stored("artists/3/albums", document([album("9", [artistID("90")]), one]))
    }
    private static let found = Stored(
        "search?term=x&types=albums",
        "{\"results\":{\"albums\":{\"data\":[\(album("9", [artistID("90")])),\(album("1"))]}}}")

    private static func many(_ count: Int) -> [String] { (0..<count).map(String.init) }
    /// An album whose list of artists goes on after `count`.
    private static func cut(after count: Int) -> Stored {
        let artists = relation("artists", many(count).map(artistID), next: "/v1/x?offset=\(count)")
        return Stored("albums/9", document(resource("albums", "9", [artists])))
    }
    private static func withMeta(_ target: String, _ id: String, _ artists: [String]) -> Stored {
        Stored(target, document(resource("albums", id, extra: ",\"meta\":{}", [relation("artists", artists)])))
    }
    private static func meta(_ target: String, _ id: String, _ meta: String) -> Stored {
        Stored(target, document(resource("albums", id, extra: ",\"meta\":\(meta)")))
    }

    static let answers: [Row] = [
        Row("an album out of one with its artists", [Taught.album, whole], "albums/1", .reduced(album("1"))),
        Row(
            "of two includes one stays",
            [
                shown("albums/9?include=artists", artists: ["90"], genres: ["34"]),
                shown("albums/1?include=artists,genres", genres: ["21"]),
            ], "albums/1?include=artists", .reduced(album("1", [artist("7")], [genreID("21")]))),
        Row(
            "an item out of a batch", [Taught.album, Taught.albums, shown("albums?ids=1,2")], "albums/2",
            .reduced(album("2"))),
        Row(
            "an item out of one that includes it", [Taught.albumWithArtists, Taught.artist, whole],
            "artists/7", .reduced(artist("7"))),
        Row("an item out of a list", [listed(album("1")), Taught.album], "albums/1", .reduced(album("1"))),
        Row("an item out of search results", [found, Taught.album], "albums/1", .reduced(album("1"))),
        Row(
            "members that nothing is known of are copied with the whole resource",
            [
                meta("albums/9", "9", "{\"a\":1}"), meta("albums?ids=9", "9", "{\"a\":1}"),
                meta("albums?ids=1", "1", "{\"b\":2}"),
            ], "albums/1", .reduced(resource("albums", "1", extra: ",\"meta\":{\"b\":2}"))),
        Row(
            "members that items do not have there stay behind",
            [Taught.album, withMeta("albums/1?include=genres", "1", [artistID("7")])], "albums/1", .reduced(album("1"))),
        Row(
            "a list that ends before the cut", [cut(after: 3), shown("albums/1?include=artists", artists: many(2))],
            "albums/1", .reduced(album("1", many(2).map(artistID)))),
    ]

    /// An album that includes this artist, or has this relationship.
    private static func including(_ artist: String) -> Stored {
        Stored("albums/1?include=artists", document(album("1", [artist])))
    }
    private static func with(_ relationship: String) -> Stored {
        Stored("albums/1?include=artists", document(resource("albums", "1", [relationship])))
    }

    /// An artist with another attribute than included ones have.
    private static func titled(after: Int64) -> Stored {
        Stored("artists/90", document(resource("artists", "90", attribute: "title")), after: after)
    }

    static let refusals: [Row] = [
        Row("an item in a form that was never seen", [whole], "albums/1", refused: "item form-never-seen"),
        Row(
            "an item with a relationship that the larger form does not show",
            [shown("albums/9", artists: ["90"], genres: ["34"]), whole], "albums/1",
            refused: "item relationship-not-held"),
        Row(
            "an envelope with members of its own",
            [Stored("albums/9", "{\"data\":[\(album("9", [artistID("90")]))],\"meta\":{}}"), whole], "albums/1",
            refused: "item form-not-understood"),
        Row(
            "a resource with members of its own that would have to be assembled",
            [withMeta("albums/9", "9", [artistID("90")]), withMeta("albums/1?include=artists", "1", [artist("7")])],
            "albums/1", refused: "item members-differ"),
        Row(
            "a list that the smaller form would have cut",
            [cut(after: 2), shown("albums/1?include=artists", artists: many(3))], "albums/1",
            refused: "item size-never-seen"),
        Row(
            "a list that is longer than any that was seen, though the documentation allows it",
            [Taught.album, Taught.albums, shown("albums?ids=1,2", artists: many(2))], "albums/1",
            refused: "item size-never-seen"),
        Row(
            "a list that is longer than any that was seen, out of another place",
            [listed(album("1", many(2).map(artistID))), Taught.album], "albums/1", refused: "item size-never-seen"),
        Row(
            "an item out of a batch before one resource was seen in both", [Taught.album, shown("albums?ids=1,2")],
            "albums/2", refused: "item places-never-compared"),
        Row(
            "an item out of a place where the same resource showed other attributes",
            [Taught.albumWithArtists, titled(after: 0), whole], "artists/7",
            refused: "item places-rarely-compared"),
        Row(
            "an item out of a place where the same resource showed other attributes before and after",
            [titled(after: 0), shown("albums/9?include=artists", artists: ["90"], after: 1), titled(after: 2), whole],
            "artists/7", refused: "item places-differ"),
        Row(
            "an item out of a place that never showed an attribute which another item has",
            [
                Taught.albumWithArtists, Taught.artist,
                Stored("artists/91", document(resource("artists", "91", attribute: "title"))), whole,
            ], "artists/7", refused: "item places-rarely-compared"),
        Row("an identifier", [Taught.artist, Taught.album, shown("albums/1")], "artists/7", refused: "item not-held"),
        Row(
            "an identifier that lacks the address which identifiers have there",
            [Taught.album, including(#"{"id":"7","type":"artists","attributes":{"name":"artists 7"}}"#)], "albums/1",
            refused: "item members-differ"),
        Row(
            "an identifier with an address where identifiers have none",
            [Stored("albums/9", document(album("9", [#"{"id":"90","type":"artists"}"#]))), whole], "albums/1",
            refused: "item members-differ"),
        Row(
            "a resource without an address where items have one",
            [
                Taught.album,
                Stored(
                    "albums/1?include=artists",
                    document(
                        #"{"id":"1","type":"albums","attributes":{"name":"a"},"relationships":{"#
                            + relation("artists", [artist("7")]) + "}}")),
            ], "albums/1", refused: "item members-differ"),
        Row(
            "a relationship with members that it does not have there",
            [Taught.album, with(#""artists":{"href":"/artists","meta":{},"data":[\#(artist("7"))]}"#)], "albums/1",
            refused: "item relationship-differs"),
        Row(
            "an item whose form showed two resources",
            [Stored("albums/9", shown("albums?ids=9,8", artists: ["90"]).body), whole], "albums/1",
            refused: "item form-never-seen"),
        Row(
            "an item in a form whose envelope has got another member",
            [Taught.album, whole, Stored("albums/8", "{\"data\":[\(album("8", [artistID("90")]))],\"meta\":{}}")],
            "albums/1", refused: "item form-rests"),
        Row(
            "an element of a type that was never seen there", [Taught.album, including(resource("curators", "7"))],
            "albums/1", refused: "item type-never-seen"),
    ]

    @Test(arguments: answers) func itemsComeOutOfLargerOnes(_ row: Row) throws { try row.check() }
    @Test(arguments: refusals) func uncertainItemsAreRefused(_ row: Row) throws { try row.check() }
}
