// Everything that decides how a resource looks in one response: where, in which language, with
// which decorations.

/// The place of a resource in an answer.
///
/// It decides on the relationships that the resource carries (APPLE-MUSIC-API 5.3).
enum RenderPosition: Sendable {
    /// The `data` of `/x/{id}`, `?ids=` and `filter[..]`.
    case primary
    /// An element of a relationship, a view, a search or a chart. In mixed lists unscoped includes
    /// are ignored.
    case item(isMixed: Bool)
    /// Inside another resource, `depth` levels down.
    case included(depth: Int)

    var depth: Int {
        if case .included(let depth) = self { return depth }
        return 0
    }

    /// Whether unscoped parameters apply here.
    var isPrimary: Bool {
        switch self {
        case .primary: true
        case .item(let isMixed): !isMixed
        case .included: false
        }
    }
}

struct RenderContext: Sendable {
    let catalog: Catalog
    let configuration: SimulatorConfiguration
    let market: Market
    let language: Language
    /// The language tag that every href carries, where the request named a supported one.
    let tag: String?
    let decorations: Decorations
    let user: UserLibrary?
    /// Whether this answer has the flipped shapes (see ``Revision``).
    let isFlipped: Bool
    /// Whether its members and relationships are in the other order: when flipped, every second
    /// answer (APPLE-MUSIC-API 5.1.2).
    let isReversed: Bool
    var isSingleFetch = false
    var asking = AskedForm()

    /// The resource as this response shows it: nil if the storefront does not have it, its clean
    /// twin under `restrict`.
    func shown(_ resource: Resource) -> Resource? {
        switch resource.type {
        case .albums, .songs, .artists, .musicVideos, .playlists:
            let clean = decorations.asksForCleanItems ? cleaned(resource) : resource
            return catalog.isAvailable(clean, in: market) ? clean : nil
        case .librarySongs, .libraryAlbums:
            // One in fifty is gone from the service and dropped from lists after the cut
            // (APPLE-MUSIC-API 7.10).
            return catalog.seed.isOne(in: 50, .availability, resource.number, user?.key ?? 0) ? nil : resource
        default: return resource
        }
    }

    private func cleaned(_ resource: Resource) -> Resource {
        switch resource.type {
        case .albums: return catalog.cleanEdition(ofAlbum: resource.number).map { Resource(.albums, $0) } ?? resource
        case .songs:
            let (album, track) = (resource.number / Catalog.songSpan, resource.number % Catalog.songSpan - 1)
            return catalog.cleanEdition(ofAlbum: album).map { catalog.song(album: $0, track: track) } ?? resource
        default: return resource
        }
    }

    func related(_ resource: Resource, _ relation: Relation) -> [Resource] {
        if relation == .library { return user?.libraryItem(of: resource).map { [$0] } ?? [] }
        if resource.type.isLibrary { return user?.related(resource, relation, catalog) ?? [] }
        return resource.type == .personalRecommendation
            ? user?.contents(ofRecommendation: resource.number, catalog) ?? []
            : catalog.related(resource, relation, in: market)
    }

    /// The positions of a list; without unavailable items where the storefront has no gaps.
    func listed(_ list: [Resource]) -> [Resource] {
        guard let some = configuration.storefrontsWithGaps, !some.contains(market.code) else { return list }
        return list.compactMap(shown)
    }

    /// How lists of the resource are cut: those of a library always before unavailable items are
    /// dropped (APPLE-MUSIC-API 7.10).
    func listCut(of resource: Resource) -> SimulatorConfiguration.ListCut {
        resource.type.isLibrary ? .first : configuration.listCut
    }

    func id(of resource: Resource) -> String {
        if let user, resource.type.isLibrary || resource.type == .personalRecommendation {
            return user.id(of: resource, catalog)
        }
        return catalog.id(of: resource)
    }

    /// The path of a resource, without a query.
    func path(of resource: Resource) -> String { path(of: resource, id(of: resource)) }

    func path(of resource: Resource, _ id: String) -> String {
        if let element = resource.type.libraryPathElement { return "/v1/me/library/" + element + "/" + id }
        switch resource.type {
        case .storefronts: return "/v1/storefronts/" + id
        case .personalRecommendation: return "/v1/me/recommendations/" + id
        default: return "/v1/catalog/" + market.code + "/" + resource.type.name + "/" + id
        }
    }
}

/// A page of a collection: its items, and where the next page begins.
struct Page: Sendable {
    var items: [Resource]
    /// Nil on the last page.
    var nextOffset: Int?
    /// The size of the whole collection before anything was dropped.
    var total: Int

    /// Cut after `limit` positions, a page may be short or empty and still have a next one, and
    /// `next` may jump further than the items returned (APPLE-MUSIC-API 7.11). A page that is
    /// filled up, as nested lists are, was seen as 25 items with `offset=28` (APPLE-MUSIC-API 7.9).
    init(
        _ list: [Resource], _ paging: Paging, _ context: RenderContext, cut: SimulatorConfiguration.ListCut = .first
    ) {
        let start = min(paging.offset, list.count)
        var position = start
        items = []
        while position < list.count, (cut == .first ? position - start : items.count) < paging.limit {
            if let item = context.shown(list[position]) { items.append(item) }
            position += 1
        }
        nextOffset = position < list.count ? position : nil
        total = list.count
    }
}
