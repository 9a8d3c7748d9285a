// One request on its way to a reply: the target taken apart, the user if there is one, and the
// route to an endpoint.

/// The request being answered and what its endpoints share.
struct SimulatedExchange {
    let api: SimulatedAPI
    /// The catalog and the shapes of the revision that answers.
    let snapshot: Snapshot
    let request: SimulatorRequest
    let target: SimulatorTarget
    let decorations: Decorations
    /// The seeded index of the request, for the order of members.
    let index: Int

    init(
        _ api: SimulatedAPI, _ snapshot: Snapshot, _ request: SimulatorRequest, index: Int
    ) throws(APIError) {
        self.api = api
        self.snapshot = snapshot
        self.request = request
        self.index = index
        target = SimulatorTarget(request.target)
        decorations = try Decorations(target)
    }

    var catalog: Catalog { snapshot.catalog }
    var configuration: SimulatorConfiguration { snapshot.configuration }
    var isRead: Bool { request.method == "GET" || request.method == "HEAD" }

    /// Finds the endpoint and asks it.
    func reply() throws(APIError) -> Reply {
        let elements = target.elements
        guard elements.count > 1, elements[0] == "v1" else { throw .notFound }
        switch elements[1] {
        case "catalog":
            try requireRead()
            return try catalogReply(Array(elements.dropFirst(2)))
        case "storefronts":
            try requireRead()
            return try storefronts(Array(elements.dropFirst(2)))
        case "language":
            try requireRead()
            return try languageTag(Array(elements.dropFirst(2)))
        case "test" where elements.count == 2:
            try requireRead()
            var json = JSONBytes(capacity: 16)
            json.beginObject()
            json.endObject()
            return Reply(json)
        case "me": return try personalReply(Array(elements.dropFirst(2)))
        default: throw .notFound
        }
    }

    func requireRead() throws(APIError) {
        if !isRead { throw .methodNotAllowed }
    }

    /// The user of the Music-User-Token; without a valid one, 403 (APPLE-MUSIC-API 2.2.3).
    func requireUser() throws(APIError) -> UserLibrary {
        guard let token = request.field("Music-User-Token"), let name = UserLibrary.name(ofToken: token) else {
            throw .invalidUserToken
        }
        return api.library(of: name)
    }

    /// The context of a response in a storefront. Decorations that name the library need a user
    /// (APPLE-MUSIC-API 2.2.2).
    func context(_ market: Market, user: UserLibrary? = nil) throws(APIError) -> RenderContext {
        let tag = try LanguageTag.accepted(target.first("l"), in: market)
        let owner = user == nil && decorations.namesLibrary ? try requireUser() : user
        return RenderContext(
            catalog: catalog, configuration: configuration, market: market,
            language: Language(tag: tag ?? market.defaultTag), tag: tag, decorations: decorations, user: owner,
            isReversed: configuration.variesMemberOrder && index % 2 == 1)
    }

    /// `{"next"?, "data":[...], "meta"?}` (APPLE-MUSIC-API 5.1.1).
    func collection(
        _ page: Page, _ renderer: inout Renderer, path: String, place: RenderPosition, sort: String? = nil,
        hasTotal: Bool = false
    ) -> Reply {
        let limit = target.first("limit")
        renderer.json.beginObject()
        if renderer.context.isReversed { renderer.next(path, page.nextOffset, limit: limit, sort: sort) }
        data(page.items, &renderer, place)
        if !renderer.context.isReversed { renderer.next(path, page.nextOffset, limit: limit, sort: sort) }
        if hasTotal { renderer.total(page.total) }
        renderer.json.endObject()
        return Reply(renderer.json)
    }

    /// `"data":[...]`.
    func data(_ items: [Resource], _ renderer: inout Renderer, _ place: RenderPosition) {
        renderer.json.key("data")
        renderer.json.beginArray()
        for item in items { renderer.object(item, place) }
        renderer.json.endArray()
    }
}
