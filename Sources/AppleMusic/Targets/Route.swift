// The route of a request, decided on the canonical path and query alone.
//
// Must hold: everything personal is recognised here, in any spelling, because the cache keeps
// everything else in a scope that all users share (APPLE-MUSIC-API 14.1). A path that might be read
// in another way than here is `other`.

/// The part of the API that a target leads to.
public struct Route: Hashable, Sendable {
    /// Class of the answer; decides its lifetime.
    public let resourceClass: ResourceClass
    /// The storefront in the path of a catalog or language request.
    public let storefront: Storefront?
    /// Whether the answer belongs to a user: `/v1/me` and below; `library` as a sub-path of a
    /// catalog resource; the id of a user's own station; a parameter that asks for the user's own
    /// (`ParameterKind.isPersonal`).
    public let isPersonal: Bool
    let routeTemplate: RouteTemplate

    /// The path with placeholders for logs and metrics; it never carries an id, a name or a term.
    public var template: String { routeTemplate.text }

    /// The index of that in `RouteTemplate.texts`.
    public var templateNumber: Int { routeTemplate.number }

    /// Whether all users may be given the same answer to a GET or HEAD: the catalog, the
    /// storefronts and the language tags without a personal marker. A Music-User-Token is not
    /// forwarded on such a request.
    public var isShared: Bool { resourceClass != .personal && resourceClass != .other }

    /// Whether it leads to a relationship or a view of a catalog resource: a list with pages
    /// (APPLE-MUSIC-API 7.1).
    public var isList: Bool { routeTemplate.shape == .related || routeTemplate.shape == .view }

    init(_ resourceClass: ResourceClass, _ template: RouteTemplate, storefront: Storefront? = nil) {
        (self.resourceClass, self.storefront) = (resourceClass, storefront)
        isPersonal = resourceClass == .personal
        routeTemplate = template
    }

    static let other = Route(.other, RouteTemplate(.other))

    /// The route of a canonical path.
    /// - Parameter hasPersonalMarker: whether the query makes the answer personal.
    /// - Parameter hasPathParameters: whether a segment has `;`, which servers read in different
    ///   ways.
    init(
        _ segments: [TextSlice], in bytes: Span<UInt8>, hasPersonalMarker: Bool, hasPathParameters: Bool
    ) {
        var route = Route.other
        if segments.count >= 2, segments[0].equals("v1", in: bytes) {
            switch segments[1].count {
            case 2 where segments[1].equals("me", in: bytes):
                route = Route(.personal, .personal(segments, in: bytes))
            case 7 where segments[1].equals("catalog", in: bytes):
                route = .catalog(segments, in: bytes)
            case 8 where segments[1].equals("language", in: bytes):
                let storefront = segments.count > 2 ? Storefront(segments[2], in: bytes) : nil
                route = Route(.storefronts, RouteTemplate(.languageTag), storefront: storefront)
            case 11 where segments[1].equals("storefronts", in: bytes):
                route = Route(.storefronts, RouteTemplate(segments.count == 2 ? .storefronts : .storefront))
            default: break
            }
        }
        if hasPersonalMarker {
            route = Route(.personal, route.routeTemplate, storefront: route.storefront)
        } else if hasPathParameters, route.isShared {
            route = .other
        }
        self = route
    }

    private static func catalog(_ segments: [TextSlice], in bytes: Span<UInt8>) -> Route {
        guard segments.count >= 3, let storefront = Storefront(segments[2], in: bytes) else { return .other }
        guard segments.count > 3 else { return Route(.catalog, RouteTemplate(.catalog), storefront: storefront) }
        // `.../songs/{id}/library` and whatever might follow it.
        if segments.dropFirst(5).contains(where: { $0.equals("library", in: bytes) }) {
            let type = ResourceClass(resourceType: segments[3], in: bytes)
            let template = type.map { RouteTemplate(.related, $0) } ?? RouteTemplate(.catalogOther)
            return Route(.personal, template, storefront: storefront)
        }
        let isUsers = segments.count > 4 && segments[4].isUsersID(in: bytes)
        if let type = ResourceClass(resourceType: segments[3], in: bytes) {
            return Route(isUsers ? .personal : type, .resource(type, segments, in: bytes), storefront: storefront)
        }
        if segments[3].equals("charts", in: bytes) {
            return Route(.charts, RouteTemplate(.charts), storefront: storefront)
        }
        if segments[3].equals("search", in: bytes) {
            return Route(.search, .search(segments, in: bytes), storefront: storefront)
        }
        return Route(.catalog, RouteTemplate(.catalogOther), storefront: storefront)
    }
}

extension RouteTemplate {
    fileprivate static func resource(
        _ type: ResourceClass, _ segments: [TextSlice], in bytes: Span<UInt8>
    ) -> RouteTemplate {
        switch segments.count {
        case 4: RouteTemplate(.collection, type)
        case 5: RouteTemplate(.item, type)
        case 7 where segments[5].equals("view", in: bytes): RouteTemplate(.view, type)
        default: RouteTemplate(.related, type)
        }
    }

    fileprivate static func search(_ segments: [TextSlice], in bytes: Span<UInt8>) -> RouteTemplate {
        guard segments.count == 5 else { return RouteTemplate(.search) }
        if segments[4].equals("hints", in: bytes) { return RouteTemplate(.searchHints) }
        if segments[4].equals("suggestions", in: bytes) { return RouteTemplate(.searchSuggestions) }
        return RouteTemplate(.search)
    }

    fileprivate static func personal(_ segments: [TextSlice], in bytes: Span<UInt8>) -> RouteTemplate {
        guard segments.count > 2 else { return RouteTemplate(.me) }
        let area = segments[2]
        if area.equals("library", in: bytes) { return library(segments, in: bytes) }
        if area.equals("recent", in: bytes) { return RouteTemplate(.meRecent) }
        if area.equals("recommendations", in: bytes) { return RouteTemplate(.meRecommendations) }
        if area.equals("ratings", in: bytes) { return RouteTemplate(.meRatings) }
        if area.equals("history", in: bytes) { return RouteTemplate(.meHistory) }
        if area.equals("storefront", in: bytes) { return RouteTemplate(.meStorefront) }
        return RouteTemplate(.meOther)
    }

    /// Whether a path leads to `/v1/me/library/search`.
    static func isLibrarySearch(_ segments: [TextSlice], in bytes: Span<UInt8>) -> Bool {
        segments.count == 4 && segments[0].equals("v1", in: bytes) && segments[1].equals("me", in: bytes)
            && segments[2].equals("library", in: bytes) && segments[3].equals("search", in: bytes)
    }

    private static func library(_ segments: [TextSlice], in bytes: Span<UInt8>) -> RouteTemplate {
        switch segments.count {
        case 3: RouteTemplate(.meLibrary)
        case 4 where segments[3].equals("search", in: bytes): RouteTemplate(.meLibrarySearch)
        case 4: RouteTemplate(.meLibraryCollection)
        case 5: RouteTemplate(.meLibraryItem)
        default: RouteTemplate(.meLibraryRelated)
        }
    }
}
