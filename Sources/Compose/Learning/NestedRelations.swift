import AppleMusic

// The relationships that resources show alone and not inside others, by which they could be taken
// from there: `relate[TYPE]` brings their ids (APPLE-MUSIC-API 4.3.3).
// Must hold: both forms were seen of this origin; the documentation only spells the names.

extension LearntForms {
    /// The shape that brings them with the request's resources in this shape; the same where there
    /// are none.
    func relating(_ shape: RequestShape, of request: CatalogRequest, at now: Int64) -> RequestShape {
        guard shape.decoration.isEmpty, let record = record(request.form(in: shape), at: now) else { return shape }
        let isList = if case .list = shape.subject { true } else { false }
        let nested =
            isList
            ? record.objects.resources
            : record.objects[shape.type]?.relations.flatMap(\.elements.resources) ?? []
        var parameters: [(type: ResourceClass, names: [String])] = []
        for (type, inner) in nested where type != shape.type && !parameters.contains(where: { $0.type == type }) {
            let names = names(type, notIn: inner, request, at: now)
            if !names.isEmpty { parameters.append((type, names)) }
        }
        let texts = parameters.map { "relate[\($0.type.name)]=" + $0.names.joined(separator: ",") }.sorted()
        return shape.decorated(Array(texts.joined(separator: "&").utf8))
    }

    /// The record of a plain batch of a type, of several or else of one.
    func batchRecord(of type: ResourceClass, for request: CatalogRequest, at now: Int64) -> FormRecord? {
        record(request.plainBatch(of: type, isAlone: false), at: now)
            ?? record(request.plainBatch(of: type, isAlone: true), at: now)
    }

    /// Learns from a page how its list is cut and linked. Its items may have ids in relationships
    /// that those of the request have not.
    func observe(page request: CatalogRequest, _ document: MappedDocument, at now: Int64) {
        state.withLock { state in
            guard case .known(let known) = state.forms[request.form], known.record.isFresh(at: now) else { return }
            var record = known.record
            guard record.lists.absorb(request, document, document.primary.count) else { return }
            state.forms[request.form] = .known(Known(record))
            if record.lists.cut != known.record.lists.cut { state.changes[request.shape.type, default: 0] += 1 }
        }
    }

    /// The relationships that resources show alone beyond this; none unless all of them are ids.
    private func names(
        _ type: ResourceClass, notIn inner: ObjectShape, _ request: CatalogRequest, at now: Int64
    ) -> [String] {
        let item = RequestShape(subject: .item, type: type, include: [], decoration: [])
        guard
            let record = record(Form(item, in: request, isAlone: false), at: now)
                ?? batchRecord(of: type, for: request, at: now),
            let whole = record.objects[type], whole.hasSameMembers(as: inner), !whole.hasViews
        else { return [] }
        var names: [String] = []
        for relation in whole.relations where inner[relation.name] == nil {
            guard relation.hasData, relation.elements.areIdentifiers,
                let name = DocumentedRelations.identifiers(of: type)[relation.name]
            else { return [] }
            names.append(name)
        }
        return names.sorted()
    }
}

extension CatalogRequest {
    /// The request without parameters that change how its items look.
    var undecorated: CatalogRequest? {
        CatalogRequest(canonical: target(limit: limit, offset: offset, in: shape.decorated([])))
    }
}

extension RequestShape {
    /// Whether it asks for ids in relationships of nested resources, and has no other
    /// parameter but `include` and `views`.
    var relates: Bool {
        decoration.starts(with: "relate[".utf8)
            && decoration.split(separator: UInt8(ascii: "&")).allSatisfy { $0.starts(with: "relate[".utf8) }
    }

    /// Whether its resources show others whole (APPLE-MUSIC-API 4.2).
    var nestsResources: Bool { !views.isEmpty || DocumentedRelations.nestsResources(type) }

    /// Whether it is the other one, but for ids in relationships.
    func isLike(_ other: RequestShape) -> Bool { self == other || relates && decorated([]) == other }

    /// The shape with these parameters alone beside `include` and `views`.
    func decorated(_ decoration: [UInt8]) -> RequestShape {
        RequestShape(subject: subject, type: type, include: include, views: views, decoration: decoration)
    }
}
