import Text

// Which relationships a resource carries and how their elements look (APPLE-MUSIC-API 4.2, 5.3, 6).

/// Relationships of one resource, and those of them with whole objects.
struct Carried: Equatable, Sendable {
    var relations: RelationSet
    var full: RelationSet
}

extension RenderContext {
    /// The decision of APPLE-MUSIC-API 4.2, 5.3 and 6 for one resource at one place.
    func carried(_ type: SimulatedType, _ place: RenderPosition) -> Carried {
        var carried = Carried(relations: [], full: [])
        switch place {
        case .primary:
            carried.relations = type.defaultRelations
            carried.full = type.fullByDefault
            // Library albums carry their tracks in a single fetch only (APPLE-MUSIC-API 4.2.8).
            if type == .libraryAlbums, !isSingleFetch { carried = Carried(relations: [], full: []) }
            if !type.isLibrary { adapt(&carried) }
            add(decorations.include(), decorations.relate(), to: &carried)
        case .item(let isMixed):
            // Only artists carry relationships as list items (APPLE-MUSIC-API 5.3.2).
            if type == .artists { carried.relations = type.defaultRelations }
            if !isMixed { add(decorations.include(), decorations.relate(), to: &carried) }
        case .included(let depth):
            if type == .artists, configuration.nestsAlbums != isFlipped, nestsAlbumsHere {
                carried.relations = type.defaultRelations
                // Named in the unscoped include too: the default list is upgraded, nothing else is
                // added (APPLE-MUSIC-API 6.2).
                if decorations.include().contains(.albums), depth < 2 { carried.full = type.defaultRelations }
            }
            if depth > 2 { return carried }
        }
        add(decorations.include(scopedTo: type), decorations.relate(scopedTo: type), to: &carried)
        carried.relations.formIntersection(type.relations)
        carried.full.formIntersection(type.relations)
        return carried
    }

    /// Adapts them to an origin that differs from the documentation.
    private func adapt(_ carried: inout Carried) {
        switch configuration.relationHabit {
        case .documented: break
        case .bare: carried.relations = carried.full
        case .identifiers: carried.full = []
        case .genres: carried.relations.formUnion(RelationSet(.genres))
        case .replaced: if !decorations.include().isEmpty { carried = Carried(relations: [], full: []) }
        case .alone: if !isSingleFetch { carried = Carried(relations: [], full: []) }
        }
        if showsGenresHere { carried.relations.formUnion(RelationSet(.genres)) }
    }

    private func add(_ include: RelationSet, _ relate: RelationSet, to carried: inout Carried) {
        carried.relations.formUnion(include)
        carried.relations.formUnion(relate)
        carried.full.formUnion(include)
    }
}

extension Renderer {
    mutating func relationships(of resource: Resource, path: String, _ place: RenderPosition) {
        let carried = context.carried(resource.type, place)
        guard !carried.relations.isEmpty else { return }
        json.beginObject("relationships")
        let relations = context.isReversed ? Relation.allCases.reversed() : Relation.allCases
        for relation in relations where carried.relations.contains(relation) {
            json.key(relation.name)
            relationship(resource, relation, path: path, isFull: carried.full.contains(relation), place)
        }
        json.endObject()
    }

    /// `{href, next?, data, meta?}`.
    private mutating func relationship(
        _ resource: Resource, _ relation: Relation, path: String, isFull: Bool, _ place: RenderPosition
    ) {
        let page = inlinePage(resource, relation, place)
        let relationPath = path + "/" + relation.name
        json.beginObject()
        link("href", relationPath)
        next(relationPath, page.nextOffset)
        json.beginArray("data")
        for item in page.items {
            if isFull { object(item, .included(depth: place.depth + 1)) } else { identifier(item) }
        }
        json.endArray()
        if resource.type.isLibrary, relation == .tracks { total(page.total) }
        json.endObject()
    }

    private func inlinePage(_ resource: Resource, _ relation: Relation, _ place: RenderPosition) -> Page {
        let list = context.listed(context.related(resource, relation))
        var standard = resource.type.limits(of: relation).standard
        if resource.type == .artists, relation == .albums, case .included = place {
            // 25 in captures, 20 in newer reports (APPLE-MUSIC-API 6.2).
            standard = context.isFlipped ? 20 : 25
        }
        if context.configuration.has(.shortListsInBatches), case .primary = place, context.asking.ids > 0 {
            standard = min(standard, 5)
        }
        let limit = context.decorations.inlineLimit(resource.type, relation, standard: standard)
        let fillsUp = resource.type == .artists && relation == .albums
        let cut = fillsUp ? .filling : context.listCut(of: resource)
        return Page(list, Paging(limit: limit), context, cut: cut)
    }

    /// `"meta":{"total":N}`, on library collections only (APPLE-MUSIC-API 5.1.7).
    mutating func total(_ count: Int) { json.member("meta", ["total": .integer(count)]) }

    /// `"views":{name:{href, attributes?, next?, data}}` for the views that were asked for.
    mutating func views(of resource: Resource, path: String) {
        let views = context.decorations.views.filter { resource.type.views.contains($0) }
        guard !views.isEmpty else { return }
        json.beginObject("views")
        for view in resource.type.views where views.contains(view) {
            json.key(view.name)
            let viewPath = path + "/view/" + view.name
            let page = Page(
                context.listed(catalog.elements(of: view, resource, in: context.market)),
                Paging(limit: resource.type.viewLimits.standard), context, cut: context.listCut(of: resource))
            json.beginObject()
            link("href", viewPath)
            viewAttributes(view)
            next(viewPath, page.nextOffset)
            json.beginArray("data")
            for item in page.items { object(item, .item(isMixed: true)) }
            json.endArray()
            json.endObject()
        }
        json.endObject()
    }

    /// The view's own attributes, with `with=attributes`; a view inside a resource always has them.
    mutating func viewAttributes(_ view: View) { json.member("attributes", ["title": .string(view.title)]) }
}
