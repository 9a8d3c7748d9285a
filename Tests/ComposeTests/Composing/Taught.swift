/// An answer that shows artist 1 under its own id.
let shownArtist = Stored("artists/1", document(resource("artists", "1")))

/// Answers about resources that the tests do not ask for: they show in which forms the origin
/// answers.
enum Taught {
    /// Items whose artists are identifiers.
    static let album = shown("albums/9", artists: ["90"])
    /// Items that were asked for with their artists.
    static let albumWithArtists = shown("albums/9?include=artists", artists: ["90"])
    /// With what includes it or is a batch: an artist looks alike in both.
    static let artist = shown("artists/90")
    static let artists = shown("artists?ids=90")
    /// With the item: albums look alike in both. And a batch keeps the order.
    static let albums = shown("albums?ids=8,9", artists: ["90"])
    /// The same of albums with their artists.
    static let albumsWithArtists = shown("albums?ids=8,9&include=artists", artists: ["90"])
    /// Pages of an artist's albums: how links are written, and that a page has 25 places.
    static let pages = [
        page(9, "limit=4", 0..<4, next: 4), page(9, "limit=4&offset=4", 4..<8, next: 8),
        page(9, "", 0..<25, next: 25), page(9, "offset=25", 25..<50, next: 50),
    ]
}
