// Routes without what tells users or requests apart: what logs and metrics may carry.

/// A path with its ids, names and terms replaced by placeholders. There are finitely many, all of
/// them literals here, so neither a log line nor a metric label can carry an id (FRAMING 7.4).
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
    public var text: StaticString {
        switch shape {
        case .collection, .item, .related, .view:
            resourceType.isResourceType
                ? Self.resourceTexts[Int(resourceType.rawValue) * 4 + Int(shape.rawValue)] : "other"
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

    public var description: String { "\(text)" }

    /// Four templates for each resource type: its collection, an item, what is related to one, and
    /// a view of one. In the order of the cases of both; a test holds each to the name of its type.
    private static let resourceTexts: [StaticString] = [
        "/v1/catalog/{storefront}/activities", "/v1/catalog/{storefront}/activities/{id}",
        "/v1/catalog/{storefront}/activities/{id}/{relationship}",
        "/v1/catalog/{storefront}/activities/{id}/view/{view}",
        "/v1/catalog/{storefront}/albums", "/v1/catalog/{storefront}/albums/{id}",
        "/v1/catalog/{storefront}/albums/{id}/{relationship}",
        "/v1/catalog/{storefront}/albums/{id}/view/{view}",
        "/v1/catalog/{storefront}/apple-curators", "/v1/catalog/{storefront}/apple-curators/{id}",
        "/v1/catalog/{storefront}/apple-curators/{id}/{relationship}",
        "/v1/catalog/{storefront}/apple-curators/{id}/view/{view}",
        "/v1/catalog/{storefront}/artists", "/v1/catalog/{storefront}/artists/{id}",
        "/v1/catalog/{storefront}/artists/{id}/{relationship}",
        "/v1/catalog/{storefront}/artists/{id}/view/{view}",
        "/v1/catalog/{storefront}/curators", "/v1/catalog/{storefront}/curators/{id}",
        "/v1/catalog/{storefront}/curators/{id}/{relationship}",
        "/v1/catalog/{storefront}/curators/{id}/view/{view}",
        "/v1/catalog/{storefront}/genres", "/v1/catalog/{storefront}/genres/{id}",
        "/v1/catalog/{storefront}/genres/{id}/{relationship}",
        "/v1/catalog/{storefront}/genres/{id}/view/{view}",
        "/v1/catalog/{storefront}/music-videos", "/v1/catalog/{storefront}/music-videos/{id}",
        "/v1/catalog/{storefront}/music-videos/{id}/{relationship}",
        "/v1/catalog/{storefront}/music-videos/{id}/view/{view}",
        "/v1/catalog/{storefront}/playlists", "/v1/catalog/{storefront}/playlists/{id}",
        "/v1/catalog/{storefront}/playlists/{id}/{relationship}",
        "/v1/catalog/{storefront}/playlists/{id}/view/{view}",
        "/v1/catalog/{storefront}/record-labels", "/v1/catalog/{storefront}/record-labels/{id}",
        "/v1/catalog/{storefront}/record-labels/{id}/{relationship}",
        "/v1/catalog/{storefront}/record-labels/{id}/view/{view}",
        "/v1/catalog/{storefront}/songs", "/v1/catalog/{storefront}/songs/{id}",
        "/v1/catalog/{storefront}/songs/{id}/{relationship}",
        "/v1/catalog/{storefront}/songs/{id}/view/{view}",
        "/v1/catalog/{storefront}/station-genres", "/v1/catalog/{storefront}/station-genres/{id}",
        "/v1/catalog/{storefront}/station-genres/{id}/{relationship}",
        "/v1/catalog/{storefront}/station-genres/{id}/view/{view}",
        "/v1/catalog/{storefront}/stations", "/v1/catalog/{storefront}/stations/{id}",
        "/v1/catalog/{storefront}/stations/{id}/{relationship}",
        "/v1/catalog/{storefront}/stations/{id}/view/{view}",
    ]
}
