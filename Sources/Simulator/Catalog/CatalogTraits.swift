/// The choices that shape a catalog beside its seed and size.
struct CatalogTraits: Sendable {
    /// Percentage of albums and songs that a storefront lacks; nil: each type's own.
    var unavailablePercent: Int?
    /// A storefront lacks one item in N. Takes the place of the percentage.
    var unavailableOneIn: Int?
    /// One artist in so many has more albums than fit on one page.
    var prolificShare = 300
    var listSizes = ListSizes.standard
    /// Resources in a thousand that change at each revision; nil for about one in four.
    var revisionShare: Int?
}
