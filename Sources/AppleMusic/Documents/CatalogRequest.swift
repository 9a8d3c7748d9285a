// The parts of a catalog target by which answers are composed.
//
// Must hold: two targets with equal parts ask for the same; whatever is not understood is in
// `decoration`, byte for byte, so that nothing is ever mixed that an unknown parameter might tell
// apart. A target that might be read in two ways is no catalog request at all, so that it is
// forwarded as it is.

import Text

/// A request for resources of the shared catalog (APPLE-MUSIC-API 3.1).
///
/// A class, because it is handed on by all that deals with a miss, and is never changed: copies of
/// its members were a thousand instructions of a miss.
public final class CatalogRequest: Sendable {
    /// The kind of answer.
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
    /// The resources that the request names: one for an item or a list's parent; for a batch all in
    /// their order, type by type, duplicates kept, empty ones left out; at least one, and perhaps
    /// more than the origin takes, but at most `mostNamed` of a type. None for results.
    public let resources: [ResourceName]
    /// The `limit` of a list or of results; nil where it is absent. 1 to 999,999,999.
    public let limit: Int?
    /// The `offset` of a list or of results; nil where it is absent. 0 to 999,999,999.
    public let offset: Int?
    /// The number of a resource's context besides its type and id: storefront, language,
    /// decoration. The same in every process. A client that invents parameters does not find any
    /// that give the number of another request.
    let resourceContext: UInt64
    /// Whether resources look as they do without any parameter but `include`, `l`, `relate[TYPE]`
    /// and those that choose them. `views` adds a member to a single resource and changes none.
    public let hasPlainResources: Bool

    /// Takes a target apart; nil for requests that are not to be composed or looked through.
    ///
    /// That is whatever is personal or not of the catalog; a path that does not end at an item, a
    /// collection, a relationship or a view of the twelve types, or at charts or search; a
    /// collection without `ids` (all genres); a parameter that is understood but occurs
    /// twice, is empty, or is not spelt as plainly as Apple's documentation does; `ids` where the
    /// path names the resource; `filter[...]` outside of results, as it finds resources by other
    /// means; and a list of more than `mostNamed` elements.
    public init?(_ target: borrowing CanonicalTarget) {
        let route = target.route
        guard route.isShared, let storefront = route.storefront,
            let path = CatalogPath(target), let query = CatalogQuery(target, of: path.subject)
        else { return nil }
        if path.subject == .batch, query.resources.isEmpty { return nil }
        self.storefront = storefront
        shape = RequestShape(
            subject: path.subject, type: route.resourceClass, include: query.include, views: query.views,
            decoration: query.decoration)
        language = query.language
        resources = path.id.map { [ResourceName(type: route.resourceClass, id: $0)] } ?? query.resources
        limit = query.limit
        offset = query.offset
        resourceContext = Self.context(storefront, language: query.language, decoration: query.resourceDecoration)
        hasPlainResources = query.resourceDecoration.isEmpty
    }
}

/// Type and id of a catalog resource.
public struct ResourceName: Hashable, Sendable {
    /// The type, of the catalog's twelve.
    public let type: ResourceClass
    /// The id as in the canonical target and in documents: letters, digits, `.`, `-` and `_`.
    public let id: [UInt8]

    public init(type: ResourceClass, id: [UInt8]) {
        (self.type, self.id) = (type, id)
    }
}

/// The part of a canonical path after the storefront.
private struct CatalogPath {
    let subject: CatalogRequest.Subject
    /// Id of the item or the parent.
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
    /// The bytes of a slice; nil where it is empty or has any besides letters, digits, `.`, `-` and
    /// `_`.
    init?(identifier slice: TextSlice, in bytes: [UInt8]) {
        let text = bytes.span
        guard slice.count > 0 else { return nil }
        for position in slice.start..<slice.end where !ASCIISet.identifier.contains(text[position]) { return nil }
        self = Array(bytes[slice.start..<slice.end])
    }
}

// The numbers under which resources and collections are found again.
//
// Must hold: they are the same in every process, and a client that chooses parameters cannot
// choose numbers. Language and decoration are text of the client's making. With FNV-1a, any client
// could find a decoration whose number is that of none, and so put decorated resources before all
// clients. So they go through SHA-256.

extension CatalogRequest {
    /// The number under which a resource is kept: the same for equal resources under equal
    /// circumstances.
    ///
    /// It has 64 bits and is not proof that a resource is the one: a reader compares type and id
    /// too.
    /// - Parameter number: of its type and id (``ResourceMention``).
    public func indexNumber(ofResource number: UInt64) -> UInt64 {
        SplitMix64.mixed(number &+ SplitMix64.mixed(resourceContext))
    }

    /// The digest costs ten times as much as the rest of the request, and most requests have
    /// nothing to digest.
    static func context(_ storefront: Storefront, language: [UInt8], decoration: [UInt8]) -> UInt64 {
        guard !language.isEmpty || !decoration.isEmpty else {
            return UInt64(storefront.first) << 8 | UInt64(storefront.second)
        }
        // No part holds the separator: they are visible ASCII.
        let text = [storefront.first, storefront.second, 0] + language + [0] + decoration
        guard let number = text.withUnsafeBytes(Digest.sha256Head) else {
            preconditionFailure("libcrypto has no SHA-256")
        }
        return number
    }
}

extension ResourceName {
    /// The number of the resource (``ResourceMention``).
    public var number: UInt64 { ResourceMention.number(type.name, id) }
}

// The targets of requests that go with a request: for resources that are not stored, or for another
// window of its list.
//
// Must hold: they are canonical, and taking one apart gives the parts it was made of.

extension CatalogRequest {
    /// The canonical path, without a query.
    public var path: [UInt8] {
        var path = Self.collectionPath(storefront, shape.type)
        switch shape.subject {
        case .batch, .results:
            break
        case .item:
            path.append(segment: resources[0].id)
        case .list(let name, let isView):
            path.append(segment: resources[0].id)
            if isView { path.append(segment: Array("view".utf8)) }
            path.append(segment: name)
        }
        return path
    }

    /// The target of an item, or of a batch of one type, in another shape.
    /// - Parameters:
    ///   - resources: at least one, of this request.
    ///   - shape: of the same subject and type.
    public func target(resources: [ResourceName], in shape: RequestShape) -> [UInt8] {
        shape.subject == .item ? target(limit: nil, offset: nil, in: shape) : batchTarget(resources, shape)
    }

    /// A batch of some resources, with this request's include, decoration and language. Of an item
    /// or a batch.
    /// - Parameter resources: at least one, those of a type together; for all but a batch of
    ///   several types all of this request's type.
    public func target(resources: [ResourceName]) -> [UInt8] { batchTarget(resources, shape) }

    private func batchTarget(_ resources: [ResourceName], _ shape: RequestShape) -> [UInt8] {
        var query = CatalogQueryWriter(after: Self.collectionPath(storefront, shape.type), decoration: shape.decoration)
        for part in resources.runsOfType {
            query.append("ids", of: shape.type == .catalog ? part.first?.type : nil, part.map(\.id))
        }
        if !shape.include.isEmpty { query.append("include", shape.include) }
        if !language.isEmpty { query.append("l", [language]) }
        return query.finish()
    }

    /// The request for the resource whose list this is, in its language and without parameters; nil
    /// for what is no list.
    public var owner: CatalogRequest? {
        guard case .list = shape.subject, let name = resources.first else { return nil }
        var path = Self.collectionPath(storefront, name.type)
        path.append(segment: name.id)
        var query = CatalogQueryWriter(after: path, decoration: [])
        if !language.isEmpty { query.append("l", [language]) }
        return CatalogRequest(canonical: query.finish())
    }

    /// Request of a canonical target; nil where it is neither composed nor a source.
    public convenience init?(canonical: [UInt8]) {
        var target = CanonicalTarget()
        guard (try? target.parse(canonical.span)) != nil else { return nil }
        self.init(target)
    }

    /// A batch of another type, with this request's decoration and language, without include. Not
    /// of results.
    /// - Parameter relatedType: one of the twelve types.
    /// - Parameter ids: at least one, each as ``ids`` has them.
    public func target(relatedType: ResourceClass, ids: [[UInt8]]) -> [UInt8] {
        var query = CatalogQueryWriter(
            after: Self.collectionPath(storefront, relatedType), decoration: shape.decoration)
        query.append("ids", ids)
        if !language.isEmpty { query.append("l", [language]) }
        return query.finish()
    }

    /// Another window of the same list, with its include, decoration and language; of an item, the
    /// item.
    /// - Parameters:
    ///   - limit: 1 to 999,999,999, or nil to leave it to the origin.
    ///   - offset: 0 to 999,999,999, or nil for the list's beginning.
    ///   - other: another shape of the same subject and type.
    public func target(limit: Int?, offset: Int?, in other: RequestShape? = nil) -> [UInt8] {
        let shape = other ?? shape
        var query = CatalogQueryWriter(after: path, decoration: shape.decoration)
        if !shape.include.isEmpty { query.append("include", shape.include) }
        if !language.isEmpty { query.append("l", [language]) }
        if let limit { query.append("limit", limit) }
        if let offset { query.append("offset", offset) }
        if !shape.views.isEmpty { query.append("views", shape.views) }
        return query.finish()
    }

    private static func collectionPath(_ storefront: Storefront, _ type: ResourceClass) -> [UInt8] {
        var path: [UInt8] = []
        path.reserveCapacity(128)
        path.append(contentsOf: "/v1/catalog/".utf8)
        path.append(storefront.first)
        path.append(storefront.second)
        // A batch of several types is asked of the catalog itself.
        guard type != .catalog else { return path }
        path.append(UInt8(ascii: "/"))
        path.append(contentsOf: type.name.utf8)
        return path
    }
}

extension [UInt8] {
    fileprivate mutating func append(segment: [UInt8]) {
        append(UInt8(ascii: "/"))
        append(contentsOf: segment)
    }
}

/// Writes parameters in between those of a decoration, which are in order and have other names.
private struct CatalogQueryWriter {
    private var bytes: [UInt8]
    private var decoration: ArraySlice<UInt8>
    private var separator = UInt8(ascii: "?")

    init(after path: [UInt8], decoration: [UInt8]) {
        bytes = path
        self.decoration = decoration[...]
    }

    /// Names come in ascending order; `type` is the scope of the name, as in `ids[albums]`.
    mutating func append(_ name: StaticString, of type: ResourceClass? = nil, _ elements: [[UInt8]]) {
        begin(Array(name.description.utf8) + (type.map { Array("[\($0.name)]".utf8) } ?? []))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: element)
        }
    }

    mutating func append(_ name: StaticString, _ number: Int) {
        begin(Array(name.description.utf8))
        bytes.append(decimal: number)
    }

    mutating func finish() -> [UInt8] {
        while !decoration.isEmpty { appendDecoration() }
        return bytes
    }

    private mutating func begin(_ text: [UInt8]) {
        while !decoration.isEmpty {
            let other = decoration.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "&") }
            guard other.lexicographicallyPrecedes(text) else { break }
            appendDecoration()
        }
        bytes.append(separator)
        separator = UInt8(ascii: "&")
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "="))
    }

    /// Moves one parameter over.
    private mutating func appendDecoration() {
        bytes.append(separator)
        separator = UInt8(ascii: "&")
        let parameter = decoration.prefix { $0 != UInt8(ascii: "&") }
        bytes.append(contentsOf: parameter)
        decoration = decoration.dropFirst(parameter.count + 1)
    }
}

extension [ResourceName] {
    /// Runs of neighbours of one type.
    fileprivate var runsOfType: [ArraySlice<ResourceName>] {
        var chunks: [ArraySlice<ResourceName>] = []
        var start = startIndex
        for index in indices.dropFirst() where self[index].type != self[start].type {
            chunks.append(self[start..<index])
            start = index
        }
        return isEmpty ? [] : chunks + [self[start...]]
    }
}
