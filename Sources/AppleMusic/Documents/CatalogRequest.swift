// What a target of the catalog asks for, taken apart as far as answers are composed by it.
//
// What must hold: two targets with equal parts ask for the same; whatever is not understood is in
// `decoration`, byte for byte, so that nothing is ever mixed that an unknown parameter might tell
// apart. What might be read in two ways is no catalog request at all, so that it is forwarded as it
// is.

/// A request for resources of the shared catalog (API.md 3.1).
public struct CatalogRequest: Sendable {
    /// What kind of answer it is.
    public enum Subject: Hashable, Sendable {
        /// `/{type}/{id}`.
        case item
        /// `/{type}?ids=`, or of several types: `?ids[albums]=..&ids[songs]=..`.
        case batch
        /// `/{type}/{id}/{name}`, or `/{type}/{id}/view/{name}`.
        case list(name: [UInt8], isView: Bool)
        /// `/charts`, `/search`: resources found by other means; only looked through, never
        /// composed.
        case results
    }

    public let storefront: Storefront
    public let shape: RequestShape
    /// The value of `l`; empty where there is none.
    public let language: [UInt8]
    /// Of an item or a list's parent: one. Of a batch: as they were asked for, type by type,
    /// duplicates and order kept, empty ones left out; at least one, and there may be more than the
    /// origin takes. None for results.
    public let resources: [ResourceName]
    /// Of a list or of results; nil where the parameter is absent. 1 to 999,999,999.
    public let limit: Int?
    /// Of a list or of results; nil where the parameter is absent. 0 to 999,999,999.
    public let offset: Int?
    /// The number of what a resource depends on beside its type and id: storefront, language,
    /// decoration. The same in every process. Whoever makes up parameters does not find any that
    /// give the number of another request.
    public let resourceContext: UInt64
    /// Whether resources look as they do without any parameter but `include`, `l` and those that
    /// choose them.
    public let hasPlainResources: Bool

    /// Takes a target apart; nil for what is not to be composed or looked through.
    ///
    /// That is whatever is personal or not of the catalog; a path that does not end at an item, a
    /// collection, a relationship or a view of the twelve types, or at charts or search; a
    /// collection without `ids` (all genres); a parameter that is understood but stands there
    /// twice, is empty, or is not spelt as plainly as Apple's documentation does; `ids` where the
    /// path names the resource; and `filter[...]` outside of results, as it finds resources by
    /// other means.
    public init?(_ target: borrowing CanonicalTarget) {
        let route = target.route
        guard route.isShared, let storefront = route.storefront,
            let path = CatalogPath(target), let query = CatalogQuery(target, of: path.subject)
        else { return nil }
        if path.subject == .batch, query.resources.isEmpty { return nil }
        self.storefront = storefront
        shape = RequestShape(
            subject: path.subject, type: route.resourceClass, include: query.include, decoration: query.decoration)
        language = query.language
        resources = path.id.map { [ResourceName(type: route.resourceClass, id: $0)] } ?? query.resources
        limit = query.limit
        offset = query.offset
        resourceContext = Self.context(storefront, language: query.language, decoration: query.resourceDecoration)
        hasPlainResources = query.resourceDecoration.isEmpty
    }
}

/// What names a resource of the catalog.
public struct ResourceName: Hashable, Sendable {
    /// One of the twelve types.
    public let type: ResourceClass
    /// As it stands in the canonical target, which is as it stands in documents too: letters,
    /// digits, `.`, `-` and `_`.
    public let id: [UInt8]

    public init(type: ResourceClass, id: [UInt8]) {
        self.type = type
        self.id = id
    }
}

/// The part of a canonical path behind the storefront.
private struct CatalogPath {
    let subject: CatalogRequest.Subject
    /// Of the item or the parent.
    private(set) var id: [UInt8]?

    /// The route says which segments are where, except how deep the path goes.
    init?(_ target: borrowing CanonicalTarget) {
        let segments = target.segments
        func text(_ index: Int) -> [UInt8]? { [UInt8](identifier: segments[index], in: target.bytes) }
        switch (target.route.routeTemplate.shape, segments.count) {
        case (.collection, 4), (.catalog, 3):
            subject = .batch
            return
        case (.item, 5):
            subject = .item
        case (.related, 6):
            // `.../view` alone: the name of the view is missing.
            guard let name = text(5), !segments[5].equals("view", in: target.bytes.span) else { return nil }
            subject = .list(name: name, isView: false)
        case (.view, 7):
            guard let name = text(6) else { return nil }
            subject = .list(name: name, isView: true)
        case (.charts, 4), (.search, 4):
            subject = .results
            return
        default:
            return nil
        }
        guard let parent = text(4) else { return nil }
        id = parent
    }
}

extension [UInt8] {
    /// The bytes of a slice; nil where it is empty or has any beside letters, digits, `.`, `-` and
    /// `_`.
    init?(identifier slice: TextSlice, in bytes: [UInt8]) {
        let text = bytes.span
        guard slice.count > 0 else { return nil }
        for position in slice.start..<slice.end where !ASCIISet.identifier.contains(text[position]) { return nil }
        self = Array(bytes[slice.start..<slice.end])
    }
}
