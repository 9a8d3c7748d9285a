/// The choices that shape a catalog beside its seed and size.
struct CatalogTraits: Sendable {
    /// Of a hundred albums, and of a hundred songs; nil for the share that each type has by itself.
    var unavailablePercent: Int?
    /// One item of every type in so many. Takes the place of the percentage.
    var unavailableOneIn: Int?
    /// One artist in so many has more albums than fit on one page.
    var prolificShare = 300
    var listSizes = ListSizes.standard
    /// How many of a thousand resources a revision changes; nil for about one in four.
    var revisionShare: Int?
}
