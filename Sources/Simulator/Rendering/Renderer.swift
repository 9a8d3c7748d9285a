// Resource objects: identifier, attributes, relationships, views (APPLE-MUSIC-API 5.2, 5.3, 6).

/// Writes resources into one JSON text.
struct Renderer: Sendable {
    let context: RenderContext
    var json = JSONBytes()
    /// The only attributes of the resource being written; nil for all.
    var projection: [String]?
    var extensions: [String] = []
    /// An attribute that the resource being written lacks at its place.
    private var lacked: Attribute?

    init(_ context: RenderContext) { self.context = context }

    var catalog: Catalog { context.catalog }

    func wants(_ name: String) -> Bool { name != lacked?.rawValue && projection?.contains(name) ?? true }

    /// `{id, type, href}`.
    mutating func identifier(_ resource: Resource) {
        let id = context.id(of: resource)
        json.beginObject()
        head(id, resource.type, path: context.path(of: resource, id))
        json.endObject()
    }

    mutating func head(_ id: String, _ type: SimulatedType, path: String) {
        json.member("id", id)
        json.member("type", type.name)
        link("href", path)
    }

    /// A full resource object, with what its place lets it carry.
    mutating func object(_ resource: Resource, _ place: RenderPosition) {
        let id = context.id(of: resource)
        let path = context.path(of: resource, id)
        json.beginObject()
        head(id, resource.type, path: path)
        projection = context.decorations.projection(of: resource.type, isPrimary: place.isPrimary)
        extensions = context.decorations.extensions(of: resource.type, isPrimary: place.isPrimary)
        lacked = context.lackedAttribute(place)
        json.beginObject("attributes")
        attributes(of: resource)
        json.endObject()
        relationships(of: resource, path: path, place)
        if case .primary = place, context.isSingleFetch { views(of: resource, path: path) }
        json.endObject()
    }

    /// A root-relative link as a member: the path, `l` where the request had one, and the page's
    /// offset (APPLE-MUSIC-API 7.3, 7.4).
    ///
    /// Captured since 2018: `?l=de-DE&offset=25&sort=..`, without `limit`. Documented in 2017, and
    /// written when flipped: `?offset=25&limit=5&sort=..&l=de-DE`, with the request's own `limit`.
    mutating func link(
        _ name: String, _ path: String, offset: Int? = nil, limit: String? = nil, sort: String? = nil
    ) {
        let (tag, isOld) = (context.tag, context.isFlipped)
        guard tag != nil || offset != nil else { return json.text(name) { $0.append(text: path) } }
        json.link(
            name, path,
            [
                "l": isOld ? nil : tag, "offset": offset.map(String.init), "limit": isOld ? limit : nil, "sort": sort,
                "l": isOld ? tag : nil,
            ])
    }

    /// `"next":link` where there is one. `limit`: the request's own, which one form keeps.
    mutating func next(_ path: String, _ offset: Int?, limit: String? = nil, sort: String? = nil) {
        guard let offset else { return }
        link("next", path, offset: offset, limit: limit, sort: sort)
    }
}
