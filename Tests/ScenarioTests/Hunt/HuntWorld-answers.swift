// The answers of the origin to requests at a moment.

extension HuntWorld {
    struct Answer: Sendable {
        let status: Int
        let document: JSONNode
    }

    /// The status of the answer, without its content.
    func status(of request: HuntRequest, at moment: Int) -> Int {
        func has(_ name: HuntName) -> Bool { self.has(name, in: request.storefront, at: moment) }
        switch request.subject {
        case .batch: return 200
        case .item(let type, let id): return has(name(type, id)) ? 200 : 404
        case .list(let type, let id, let relation):
            let list = HuntList(name(type, id), relation)
            return has(list.parent) && page(of: list, request, at: moment) != nil ? 200 : 404
        }
    }

    /// The page that a request for a list asks for.
    func page(of list: HuntList, _ request: HuntRequest, at moment: Int) -> HuntPage? {
        let limit = request.limit ?? list.relation.standardLimit(of: list.parent.type)
        return page(of: list, request.offset ?? 0, limit, in: request.storefront, at: moment)
    }

    func answer(to request: HuntRequest, at moment: Int) -> Answer {
        guard status(of: request, at: moment) == 200 else { return Answer(status: 404, document: Self.notFound) }
        let writer = HuntWriter(world: self, request: request, moment: moment)
        switch request.subject {
        case .item(let type, let id): return writer.data([name(type, id)])
        case .batch: return writer.data(asked(request).filter { has($0, in: request.storefront, at: moment) })
        case .list(let type, let id, let relation):
            let list = HuntList(name(type, id), relation)
            guard let page = page(of: list, request, at: moment) else { break }
            return Answer(status: 200, document: writer.list(list, page, .element, isWhole: true, isInside: false))
        }
        return Answer(status: 404, document: Self.notFound)
    }

    static let notFound = JSONNode(
        .object([
            (
                "errors",
                JSONNode(
                    .array([
                        JSONNode(
                            .object([
                                ("status", JSONNode(.string("404"))), ("code", JSONNode(.string("40400"))),
                                ("title", JSONNode(.string("Resource Not Found"))),
                            ]))
                    ]))
            )
        ]))
}

/// Writes the parts of one answer.
private struct HuntWriter {
    let world: HuntWorld
    let request: HuntRequest
    let moment: Int

    func data(_ names: [HuntName]) -> HuntWorld.Answer {
        let objects = names.map { object($0, .requested) }
        return HuntWorld.Answer(status: 200, document: JSONNode(.object([("data", JSONNode(.array(objects)))])))
    }

    private func head(_ name: HuntName) -> [(name: String, value: JSONNode)] {
        [
            ("id", JSONNode(.string("\(name.id)"))), ("type", JSONNode(.string(name.type.rawValue))),
            ("href", world.link(world.path(of: name, in: request), in: request)),
        ]
    }

    private func object(_ name: HuntName, _ place: HuntPlace) -> JSONNode {
        let revision = world.revision(of: name, at: moment)
        var members = head(name)
        members.append(("attributes", world.attributes(of: name, revision: revision, place, in: request)))
        let relations = world.relations(of: name.type, place, in: request)
        if !relations.isEmpty {
            members.append(("relationships", lists(of: name, relations, place)))
        }
        let views = world.views(of: name.type, place, in: request)
        if !views.isEmpty {
            members.append(("views", lists(of: name, Dictionary(views.map { ($0, true) }) { $1 }, place)))
        }
        return JSONNode(.object(members))
    }

    private func lists(of name: HuntName, _ relations: [HuntRelation: Bool], _ place: HuntPlace) -> JSONNode {
        let members = relations.sorted { $0.key.rawValue < $1.key.rawValue }.map { relation, isWhole in
            let list = HuntList(name, relation)
            let limit = world.inlineLimit(of: list, place, in: request)
            let page = world.page(of: list, 0, limit, in: request.storefront, at: moment)
            let inner = world.place(in: relation)
            return (
                name: relation.name,
                value: self.list(list, page ?? HuntPage(names: [], next: nil), inner, isWhole: isWhole, isInside: true)
            )
        }
        return JSONNode(.object(members))
    }

    func list(_ list: HuntList, _ page: HuntPage, _ place: HuntPlace, isWhole: Bool, isInside: Bool) -> JSONNode {
        let path = "\(world.path(of: list.parent, in: request))/\(list.relation.rawValue)"
        var members: [(name: String, value: JSONNode)] = []
        if isInside {
            members.append(("href", world.link(path, in: request)))
            members += world.ownMembers(of: list.relation)
        }
        if let next = page.next { members.append(("next", world.link(path, in: request, offset: next))) }
        let elements = page.names.map { isWhole ? object($0, place) : JSONNode(.object(head($0))) }
        members.append(("data", JSONNode(.array(elements))))
        return JSONNode(.object(members))
    }
}

extension JSONNode {
    /// As JSON; the texts of this catalog need no escapes.
    var written: String {
        switch content {
        case .object(let members): "{\(members.map { "\"\($0.name)\":\($0.value.written)" }.joined(separator: ","))}"
        case .array(let elements): "[\(elements.map(\.written).joined(separator: ","))]"
        case .string(let text): "\"\(text)\""
        case .literal(let text): text
        }
    }
}
