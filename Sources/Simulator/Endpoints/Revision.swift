// The states of the simulated API: revisions of the catalog, and shapes of answers.

/// A state of the simulated API; two requests at the same revision see the same content.
///
/// From one catalog revision to the next, seeded by its number, about one in eight albums, songs,
/// artists and playlists changes its name and notes, one in five playlists its tracks, one in six
/// artists its albums, every chart moves on by three, and one in forty albums and songs comes or
/// goes. An object's attributes are the same in all answers.
///
/// With `revisionShare`, each album, song, artist and playlist changes once in
/// `1000 / revisionShare` revisions: its attributes, a list of its own, or both, or it is away for
/// a while.
///
/// When flipped, three shapes differ that APPLE-MUSIC-API.md leaves open: whether an artist inside
/// another resource carries its `albums`, and how many (6.2); the form of links (7); and the order
/// of members, which varies then (5.1).
public struct Revision: Sendable, Hashable {
    /// From 0, the catalog that the seed makes.
    let catalog: Int
    let isFlipped: Bool

    init(catalog: Int = 0, isFlipped: Bool = false) {
        (self.catalog, self.isFlipped) = (catalog, isFlipped)
    }
}

struct Snapshot: Sendable {
    let revision: Revision
    let catalog: Catalog
}
