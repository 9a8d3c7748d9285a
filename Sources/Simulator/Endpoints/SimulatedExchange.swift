// One request on its way to a reply: the target taken apart, and the user if there is one.

/// The request being answered and what its endpoints share.
struct SimulatedExchange {
    let world: SimulatedWorld
    /// The revision that answers, and its catalog.
    let snapshot: Snapshot
    let request: SimulatorRequest
    let target: SimulatorTarget
    let decorations: Decorations
    /// The seeded index of the request, for the order of members.
    let index: Int

    init(
        _ world: SimulatedWorld, _ snapshot: Snapshot, _ request: SimulatorRequest, index: Int
    ) throws(APIError) {
        (self.world, self.snapshot, self.request, self.index) = (world, snapshot, request, index)
        target = SimulatorTarget(request.target)
        decorations = try Decorations(target)
    }

    var catalog: Catalog { snapshot.catalog }
    var configuration: SimulatorConfiguration { world.configuration }
    var isRead: Bool { request.method == "GET" || request.method == "HEAD" }

    func requireRead() throws(APIError) { if !isRead { throw .methodNotAllowed } }

    /// The user of the Music-User-Token; without a valid one, 403 (APPLE-MUSIC-API 2.2.3).
    func requireUser() throws(APIError) -> UserLibrary {
        guard let token = request.field("Music-User-Token"), let name = UserLibrary.name(ofToken: token) else {
            throw .invalidUserToken
        }
        return world.library(of: name)
    }

    /// The context of a response in a storefront. Decorations that name the library need a user
    /// (APPLE-MUSIC-API 2.2.2).
    func context(_ market: Market, user: UserLibrary? = nil) throws(APIError) -> RenderContext {
        let tag = try LanguageTag.accepted(target.first("l"), in: market)
        let owner = user == nil && decorations.namesLibrary ? try requireUser() : user
        var context = RenderContext(
            catalog: catalog, configuration: configuration, market: market,
            language: Language(tag: tag ?? market.defaultTag), tag: tag, decorations: decorations, user: owner,
            isFlipped: snapshot.revision.isFlipped, isReversed: snapshot.revision.isFlipped && index % 2 == 1)
        context.asking = AskedForm(target)
        return context
    }

    /// The resources of `ids` in the order of the request; those that are missing are left out
    /// (APPLE-MUSIC-API 8.18).
    func batch(
        _ type: SimulatedType, _ ids: [String], _ find: (String) -> Resource?
    ) throws(APIError) -> [Resource] {
        if ids.isEmpty { throw .noIDs }
        guard ids.count <= type.mostIDs else {
            throw .invalidParameter(
                "ids", "Too many ids: at most \(type.mostIDs) are allowed, but there were \(ids.count)")
        }
        let found = ids.compactMap(find)
        guard configuration.has(.aliases) else { return found }
        var seen: Set<Resource> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// The resources of all `ids[TYPE]`.
    /// - Parameter named: the type of a name; nil where it is not allowed here.
    func typedBatch(
        _ named: (String) -> SimulatedType?, items: (SimulatedType, [String]) throws(APIError) -> [Resource]
    ) throws(APIError) -> [Resource] {
        var found: [Resource] = []
        var isAsked = false
        for parameter in target.parameters where parameter.name.hasPrefix("ids[") && parameter.name.hasSuffix("]") {
            let name = String(parameter.name.dropFirst(4).dropLast())
            guard let type = named(name) else { throw .unknownType(name, parameter: "ids") }
            isAsked = true
            found += try items(type, target.list(parameter.name) ?? [])
        }
        if !isAsked { throw .missingParameter("ids") }
        return found
    }

    /// A page of a relationship. An empty relationship, a lost catalog item and an offset past the
    /// end are all 404 (APPLE-MUSIC-API 7.13, 7.14, 8.11).
    func relationship(of resource: Resource, _ name: String, _ context: RenderContext) throws(APIError) -> Reply {
        let type = resource.type
        guard let relation = Relation(name: name), type.relations.contains(relation) else { throw .noRelated(name) }
        let paging = try Paging(target, type.pageLimits(of: relation))
        let isPersonal = type.isLibrary || type == .personalRecommendation
        var list = context.related(resource, relation)
        if !isPersonal { list = context.listed(list) }
        var sort: String?
        if type == .artists, relation == .albums, target.first("sort") == "-releaseDate" {
            list.sort { catalog.date(ofAlbum: $0.number) > catalog.date(ofAlbum: $1.number) }
            sort = "-releaseDate"
        }
        guard paging.offset < list.count else { throw .noRelated(name) }
        return collection(
            list, paging, context, path: context.path(of: resource) + "/" + name,
            place: .item(isMixed: type == .personalRecommendation), sort: sort,
            hasTotal: type.isLibrary && relation != .catalog, cut: isPersonal ? .first : configuration.listCut)
    }

    /// A page of a list, `{"next"?, "data":[...], "meta"?}` (APPLE-MUSIC-API 5.1.1).
    func collection(
        _ list: [Resource], _ paging: Paging, _ context: RenderContext, path: String, place: RenderPosition,
        sort: String? = nil, hasTotal: Bool = false, cut: SimulatorConfiguration.ListCut = .first
    ) -> Reply {
        let page = Page(list, paging, context, cut: cut)
        let limit = target.first("limit")
        return reply(context) { renderer in
            if context.isReversed { renderer.next(path, page.nextOffset, limit: limit, sort: sort) }
            data(page.items, &renderer, place)
            if !context.isReversed { renderer.next(path, page.nextOffset, limit: limit, sort: sort) }
            if hasTotal { renderer.total(page.total) }
        }
    }

    /// `{"data":[...]}` of primary resources.
    func list(_ items: [Resource], _ context: RenderContext) -> Reply {
        reply(context) { data(items, &$0, .primary) }
    }

    /// `{"data":[...]}` of a single fetch.
    func single(_ resource: Resource, _ context: RenderContext) -> Reply {
        var context = context
        context.isSingleFetch = true
        return list([resource], context)
    }

    /// An object with the members that `write` appends.
    func reply(_ context: RenderContext, status: Int = 200, _ write: (inout Renderer) -> Void) -> Reply {
        var renderer = Renderer(context)
        renderer.json.beginObject()
        write(&renderer)
        renderer.json.endObject()
        return Reply(status: status, body: renderer.json.bytes)
    }

    /// `"data":[...]`.
    func data(_ items: [Resource], _ renderer: inout Renderer, _ place: RenderPosition) {
        renderer.json.beginArray("data")
        for item in items { renderer.object(item, place) }
        renderer.json.endArray()
    }
}
