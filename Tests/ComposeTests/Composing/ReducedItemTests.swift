import Testing

@testable import Compose

/// Items that come out of larger ones.
@Suite struct ReducedItemTests {
    private static let whole = Stored("albums/1?include=artists", document(album("1", [artist("7")])))

    static let answers: [ComposingCase] = [
        ComposingCase(
            "an album without its artists comes out of one with them", [Taught.album, whole], "albums/1",
            .reduced(album("1", [artistID("7")]))),
        ComposingCase(
            "of two includes one stays",
            [
                Stored("albums/9?include=artists", document(album("9", [artist("90")], [genreID("34")]))),
                Stored("albums/1?include=artists,genres", document(album("1", [artist("7")], [genre("21")]))),
            ], "albums/1?include=artists", .reduced(album("1", [artist("7")], [genreID("21")]))),
        ComposingCase(
            "an item comes out of a batch",
            [Taught.album, Taught.albums, Stored("albums?ids=1,2", document([album("1"), album("2")]))], "albums/2",
            .reduced(album("2"))),
        ComposingCase(
            "an item comes out of the answer that includes it",
            [Taught.albumWithArtists, Taught.artist, whole], "artists/7", .reduced(artist("7"))),
        ComposingCase(
            "an item comes out of a list",
            [
                Stored("artists/3/albums", document([album("9", [artistID("90")]), album("1")])), Taught.album,
            ], "albums/1", .reduced(album("1"))),
        ComposingCase(
            "an item comes out of search results",
            [
                Stored(
                    "search?term=x&types=albums",
                    "{\"results\":{\"albums\":{\"data\":[\(album("9", [artistID("90")])),\(album("1"))]}}}"),
                Taught.album,
            ], "albums/1", .reduced(album("1"))),
        ComposingCase(
            "members that nothing is known of are copied with the whole resource",
            [
                Stored("albums/9", document(resource("albums", "9", extra: ",\"meta\":{\"a\":1}"))),
                Stored("albums?ids=9", document(resource("albums", "9", extra: ",\"meta\":{\"a\":1}"))),
                Stored("albums?ids=1", document(resource("albums", "1", extra: ",\"meta\":{\"b\":2}"))),
            ], "albums/1", .reduced(resource("albums", "1", extra: ",\"meta\":{\"b\":2}"))),
        ComposingCase(
            "members that items do not have there stay behind",
            [
                Taught.album,
                Stored(
                    "albums/1?include=genres",
                    document(resource("albums", "1", extra: ",\"meta\":{}", [relation("artists", [artistID("7")])]))),
            ], "albums/1", .reduced(album("1"))),
        ComposingCase(
            "a list longer than any that was seen, up to the documented page, between item and batch",
            [Taught.album, Taught.albums, Stored("albums?ids=1", document(album("1", manyIDs(10))))], "albums/1",
            .reduced(album("1", manyIDs(10)))),
        ComposingCase(
            "a list that ends before it would have been cut",
            [
                Stored(
                    "albums/9",
                    document(resource("albums", "9", [relation("artists", manyIDs(3), next: "/v1/x?offset=3")]))),
                Stored("albums/1?include=artists", document(album("1", manyArtists(2)))),
            ], "albums/1", .reduced(album("1", manyIDs(2)))),
    ]

    static let refusals: [ComposingCase] = [
        ComposingCase("an item in a form that was never seen", [whole], "albums/1", .refusal, "item form-never-seen"),
        ComposingCase(
            "an item of which nothing is stored", [Taught.album, whole], "albums/2", .refusal, "item not-held"),
        ComposingCase(
            "a resource of another type with the same id", [Taught.artist, Taught.album, whole], "artists/1", .refusal,
            "item not-held"),
        ComposingCase(
            "an item with a relationship that the larger form does not show",
            [Stored("albums/9", document(album("9", [artistID("90")], [genreID("34")]))), whole], "albums/1", .refusal,
            "item relationship-not-held"),
        ComposingCase(
            "an item whose envelope has members of its own",
            [Stored("albums/9", "{\"data\":[\(album("9", [artistID("90")]))],\"meta\":{}}"), whole], "albums/1",
            .refusal, "item form-not-understood"),
        ComposingCase(
            "a resource with members of its own that would have to be assembled",
            [
                Stored("albums/9", document(member("9", [artistID("90")]))),
                Stored("albums/1?include=artists", document(member("1", [artist("7")]))),
            ], "albums/1", .refusal, "item members-differ"),
        ComposingCase(
            "a list that the smaller form would have cut",
            [
                Stored(
                    "albums/9",
                    document(resource("albums", "9", [relation("artists", manyIDs(2), next: "/v1/x?offset=2")]))),
                Stored("albums/1?include=artists", document(album("1", manyArtists(3)))),
            ], "albums/1", .refusal, "item size-never-seen"),
        ComposingCase(
            "a list that is longer than the documented page",
            [Taught.album, Taught.albums, Stored("albums?ids=1", document(album("1", manyIDs(11))))], "albums/1",
            .refusal, "item size-never-seen"),
        ComposingCase(
            "a list that is longer than any that was seen, out of another place",
            [
                Stored("artists/3/albums", document([album("9", [artistID("90")]), album("1", manyIDs(2))])),
                Taught.album,
            ], "albums/1", .refusal, "item size-never-seen"),
        ComposingCase(
            "an item out of a batch before one resource was seen in both",
            [Taught.album, Stored("albums?ids=1,2", document([album("1"), album("2")]))], "albums/2", .refusal,
            "item places-never-compared"),
        ComposingCase(
            "an item out of a place where the same resource showed other attributes",
            [
                Taught.albumWithArtists, Stored("artists/90", document(resource("artists", "90", attribute: "title"))),
                whole,
            ], "artists/7", .refusal, "item places-differ"),
        ComposingCase(
            "an identifier for a resource", [Taught.artist, Taught.album, Stored("albums/1", document(album("1")))],
            "artists/7", .refusal, "item not-held"),
        ComposingCase(
            "an identifier that lacks the address which identifiers have there",
            [
                Taught.album,
                Stored(
                    "albums/1?include=artists",
                    document(
                        album("1", [#"{"id":"7","type":"artists","attributes":{"name":"artists 7"}}"#]))),
            ], "albums/1", .refusal, "item members-differ"),
        ComposingCase(
            "an identifier with an address where identifiers have none",
            [
                Stored("albums/9", document(album("9", [#"{"id":"90","type":"artists"}"#]))), whole,
            ], "albums/1", .refusal, "item members-differ"),
        ComposingCase(
            "a resource without an address where items have one",
            [
                Taught.album,
                Stored(
                    "albums/1?include=artists",
                    document(
                        #"{"id":"1","type":"albums","attributes":{"name":"a"},"relationships":{"#
                            + relation("artists", [artist("7")]) + "}}")),
            ], "albums/1", .refusal, "item members-differ"),
        ComposingCase(
            "a relationship with members that it does not have there",
            [
                Taught.album,
                Stored(
                    "albums/1?include=artists",
                    document(
                        resource(
                            "albums", "1", [#""artists":{"href":"/artists","meta":{},"data":[\#(artist("7"))]}"#]))),
            ], "albums/1", .refusal, "item relationship-differs"),
        ComposingCase(
            "an item whose form showed two resources",
            [Stored("albums/9", document([album("9", [artistID("90")]), album("8", [artistID("90")])])), whole],
            "albums/1", .refusal, "item form-never-seen"),
        ComposingCase(
            "an item in a form whose envelope has got another member",
            [
                Taught.album, whole,
                Stored("albums/8", "{\"data\":[\(album("8", [artistID("90")]))],\"meta\":{}}"),
            ], "albums/1", .refusal, "item form-rests"),
        ComposingCase(
            "an element of a type that was never seen there",
            [Taught.album, Stored("albums/1?include=artists", document(album("1", [resource("curators", "7")])))],
            "albums/1", .refusal, "item type-never-seen"),
    ]

    private static func member(_ id: String, _ artists: [String]) -> String {
        resource("albums", id, extra: ",\"meta\":{}", [relation("artists", artists)])
    }

    private static func manyArtists(_ count: Int) -> [String] { (0..<count).map { artist("\($0)") } }
    private static func manyIDs(_ count: Int) -> [String] { (0..<count).map { artistID("\($0)") } }

    @Test(arguments: answers) func itemsComeOutOfLargerOnes(_ row: ComposingCase) throws { try row.check() }
    @Test(arguments: refusals) func uncertainItemsAreRefused(_ row: ComposingCase) throws { try row.check() }
}
