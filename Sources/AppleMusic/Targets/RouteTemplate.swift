// Routes without the parts that tell users or requests apart, for logs and metrics.

/// A path with its ids, names and terms replaced by placeholders. There are finitely many, made of
/// literals and names of types, so neither a log line nor a metric label can carry an id (FRAMING
/// 7.4).
public struct RouteTemplate: Hashable, Sendable, CustomStringConvertible {
    /// How the path is built; for a resource type, how far below the type it reaches.
    enum Shape: UInt8, CaseIterable, Sendable {
        case collection, item, related, view
        case catalog, catalogOther, charts, search, searchHints, searchSuggestions
        case storefronts, storefront, languageTag
        case me, meStorefront, meLibrary, meLibraryCollection, meLibraryItem, meLibraryRelated, meLibrarySearch
        case meRecent, meHistory, meRecommendations, meRatings, meOther
        case other
    }

    let shape: Shape
    /// A resource type with the first four shapes.
    let resourceType: ResourceClass

    init(_ shape: Shape, _ resourceType: ResourceClass = .other) {
        (self.shape, self.resourceType) = (shape, resourceType)
    }

    /// For example `/v1/catalog/{storefront}/albums/{id}`.
    public var text: String {
        switch shape {
        case .collection, .item, .related, .view: resourceType.isResourceType ? Self.resourceTexts[number] : "other"
        case .catalog: "/v1/catalog/{storefront}"
        case .catalogOther: "/v1/catalog/{storefront}/..."
        case .charts: "/v1/catalog/{storefront}/charts"
        case .search: "/v1/catalog/{storefront}/search"
        case .searchHints: "/v1/catalog/{storefront}/search/hints"
        case .searchSuggestions: "/v1/catalog/{storefront}/search/suggestions"
        case .storefronts: "/v1/storefronts"
        case .storefront: "/v1/storefronts/{id}"
        case .languageTag: "/v1/language/{storefront}/tag"
        case .me: "/v1/me"
        case .meStorefront: "/v1/me/storefront"
        case .meLibrary: "/v1/me/library"
        case .meLibraryCollection: "/v1/me/library/{type}"
        case .meLibraryItem: "/v1/me/library/{type}/{id}"
        case .meLibraryRelated: "/v1/me/library/{type}/{id}/{relationship}"
        case .meLibrarySearch: "/v1/me/library/search"
        case .meRecent: "/v1/me/recent/..."
        case .meHistory: "/v1/me/history/..."
        case .meRecommendations: "/v1/me/recommendations/..."
        case .meRatings: "/v1/me/ratings/..."
        case .meOther: "/v1/me/..."
        case .other: "other"
        }
    }

    public var description: String { text }

    /// The texts of all templates, each at its number.
    public static let texts =
        resourceTexts + Shape.allCases.dropFirst(shapesOfResources).map { RouteTemplate($0).text }

    /// An index of `texts`.
    var number: Int {
        guard shape.rawValue < Self.shapesOfResources else {
            return Self.resourceTexts.count + Int(shape.rawValue) - Self.shapesOfResources
        }
        return Int(resourceType.rawValue) * Self.shapesOfResources + Int(shape.rawValue)
    }

    private static let shapesOfResources = 4

    /// Four templates for each resource type: its collection, an item, a relationship of one, and a
    /// view of one. In the order of the cases of both.
    private static let resourceTexts = ResourceClass.allCases.filter(\.isResourceType).flatMap { type in
        ["", "/{id}", "/{id}/{relationship}", "/{id}/view/{view}"].map { below in
            "/v1/catalog/{storefront}/\(type.name)\(below)"
        }
    }
}
