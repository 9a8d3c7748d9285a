/// Answers about resources that the tests do not ask for: they show in which forms the origin
/// answers.
enum Taught {
    /// Items whose artists are identifiers.
    static let album = Stored("albums/9", document(ComposeTests.album("9", [artistID("90")])))
    /// Items that were asked for with their artists.
    static let albumWithArtists = Stored(
        "albums/9?include=artists", document(ComposeTests.album("9", [ComposeTests.artist("90")])))
    /// With what includes it or is a batch: an artist looks alike in both.
    static let artist = Stored("artists/90", document(ComposeTests.artist("90")))
    static let artists = Stored("artists?ids=90", document(ComposeTests.artist("90")))
    /// With the item: albums look alike in both. And a batch keeps the order.
    static let albums = Stored(
        "albums?ids=8,9",
        document([ComposeTests.album("8", [artistID("90")]), ComposeTests.album("9", [artistID("90")])]))
    /// The same of albums with their artists.
    static let albumsWithArtists = Stored(
        "albums?ids=8,9&include=artists",
        document([
            ComposeTests.album("8", [ComposeTests.artist("90")]), ComposeTests.album("9", [ComposeTests.artist("90")]),
        ]))
}
