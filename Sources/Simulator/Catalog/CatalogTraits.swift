/// The choices that shape a catalog besides its seed and size.
public struct CatalogTraits: Sendable {
    /// Percentage of albums and songs that a storefront does not have; nil: each type's own.
    public var unavailablePercent: Int?
    /// Share of items missing in a storefront, as one in N of every type, and one in N more of the
    /// songs of the albums that it has; no album is deprecated. Takes the place of the percentage.
    public var unavailableOneIn: Int?
    /// With standard sizes, one artist in this many has several pages of albums.
    public var prolificShare = 300
    public var listSizes = ListSizes.standard
    /// Resources in a thousand that change at each revision, of albums, songs, artists and
    /// playlists; nil for about one in four.
    public var revisionShare: Int?
}
