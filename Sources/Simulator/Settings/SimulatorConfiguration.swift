/// Options of the simulated API, for every choice that APPLE-MUSIC-API.md leaves open.
public struct SimulatorConfiguration: Sendable {
    /// How pages of catalog lists are cut.
    public enum ListCut: String, CaseIterable, Sendable {
        /// After `limit` positions; unavailable items are dropped then (APPLE-MUSIC-API 7.10).
        case first
        /// Once `limit` items are on the page (APPLE-MUSIC-API 7.9).
        case filling
    }

    /// Relationships that a requested resource of the catalog shows.
    public enum RelationHabit: String, CaseIterable, Sendable {
        /// The relationships of APPLE-MUSIC-API 4.2.
        case documented
        /// The documented ones whose elements are whole objects, no others.
        case bare
        /// The documented ones, all by identifiers.
        case identifiers
        /// The documented ones, and genres.
        case genres
        /// The documented ones, or with `include` only those that it names.
        case replaced
        /// The documented ones for a single resource; in a batch only those that `include` names.
        case alone
    }

    /// Two instances with the same seed and sizes answer the same requests with the same JSON
    /// values.
    public var seed: UInt64 = 1
    public var traits = CatalogTraits()
    /// The number of artists, at least 16; there are about four times as many albums and forty
    /// times as many songs.
    var artists = 2400
    /// The number of editorial playlists, at least 64.
    var playlists = 1200
    public var relationHabit = RelationHabit.documented
    public var listCut = ListCut.first
    /// The storefronts in which an unavailable item keeps its place in catalog lists, so that they
    /// have gaps; in others the lists are closed up before they are cut. Nil for all storefronts.
    public var storefrontsWithGaps: Set<String>?
    /// Whether a request without a developer token is answered 401. The verifier judges the token.
    public var requiresAuthorization = true
    /// Whether an artist inside another resource carries its `albums` (APPLE-MUSIC-API 6.2:
    /// captures disagree for single fetches). The other way round when flipped.
    var nestsAlbums = true
    var peculiarities: Set<Peculiarity> = []
    var faults: [Fault] = []
    /// Requests a second above which 429 is answered; 0 for no limit.
    var requestsPerSecond = 0
    /// Added to every response.
    public var latency: Duration = .zero
    /// Requests between two revisions of the catalog; 0 for none.
    public var reviseEvery = 0
    /// Requests after which the shapes of answers flip, once; 0 for never.
    public var flipAfter = 0

    public init() {}
}
