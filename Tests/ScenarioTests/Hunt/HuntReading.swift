/// Compares one answer with the world, part by part.
///
/// Each part may be of its own moment: the revision of each resource, and the elements of each list
/// as far as the answer shows them. The form around them is that of the request.
struct HuntReading {
    let world: HuntWorld
    let request: HuntRequest
    let scope: HuntScope
    private(set) var faults: [HuntFault] = []
    private(set) var sights: [HuntSight] = []
    /// The revisions that this answer has shown.
    private var shown: [HuntName: Int] = [:]

    init(_ world: HuntWorld, _ request: HuntRequest, _ scope: HuntScope) {
        (self.world, self.request, self.scope) = (world, request, scope)
    }

    private mutating func fail(_ rule: HuntFault.Rule, _ path: String, _ reason: String) {
        faults.append(HuntFault(rule, path, reason))
    }

    /// Reads a 404.
    mutating func readNotFound() {
        let moments = HuntMoments(in: scope.window) { world.status(of: request, at: $0) == 404 }
        guard let earliest = moments.earliest, let latest = moments.latest else {
            return fail(.status, "", "404, and the origin had it since \(scope.now - scope.window.lowerBound) s ago")
        }
        let thing: HuntThing
        switch request.subject {
        case .item(let type, let id): thing = .resource(world.name(type, id))
        case .list(let type, let id, let relation): thing = .list(HuntList(world.name(type, id), relation))
        case .batch: return fail(.status, "", "404 to a batch")
        }
        sights.append(HuntSight(thing: thing, earliest: earliest, latest: latest, path: ""))
    }

    /// Reads the document of a 200.
    mutating func read(_ document: JSONNode) {
        switch request.subject {
        case .item(let type, let id):
            let name = world.name(type, id)
            guard expect(document, ["data"], ""), document.elementNames == ["\(name)"] else {
                return fail(.form, "data", "\(document.elementNames) instead of \(name)")
            }
            _ = object(document["data"]?.elements.first, name, .requested, "data[0]")
        case .batch: batch(document)
        case .list(let type, let id, let relation):
            let list = HuntList(world.name(type, id), relation)
            let limit = request.limit ?? relation.standardLimit(of: type)
            _ = self.list(document, list, request.offset ?? 0, limit, .element, isWhole: true, "")
        }
    }

    /// Each resource is there, or was missing at a moment of its own.
    private mutating func batch(_ document: JSONNode) {
        guard expect(document, ["data"], "") else { return }
        var rest = world.asked(request)[...]
        for (index, element) in (document["data"]?.elements ?? []).enumerated() {
            guard let found = rest.firstIndex(where: { "\($0)" == element.identity }) else {
                return fail(.form, "data[\(index)]", "\(element.identity ?? "?") is not asked for, or not here")
            }
            for name in rest[..<found] { absence(of: name) }
            _ = object(element, rest[found], .requested, "data[\(index)]")
            rest = rest[(found + 1)...]
        }
        for name in rest { absence(of: name) }
    }

    private mutating func absence(of name: HuntName) {
        let moments = HuntMoments(in: scope.absenceWindow) { !world.has(name, in: scope.storefront, at: $0) }
        guard let earliest = moments.earliest, let latest = moments.latest else {
            let seconds = scope.now - scope.absenceWindow.lowerBound
            return fail(.absence, "data", "\(name) is left out, and the origin had it for the last \(seconds) s")
        }
        sights.append(HuntSight(thing: .resource(name), earliest: earliest, latest: latest, path: "data"))
    }

    /// Whether an object has these members and no others.
    private mutating func expect(_ node: JSONNode, _ names: Set<String>, _ path: String) -> Bool {
        if node.names == names { return true }
        let (missing, added) = (names.subtracting(node.names).sorted(), node.names.subtracting(names).sorted())
        fail(.form, path, "lacks \(missing), and has \(added)")
        return false
    }
}

// MARK: - Resources

extension HuntReading {
    /// The moments of all that the object shows of its own.
    private mutating func object(
        _ node: JSONNode?, _ name: HuntName, _ place: HuntPlace, _ path: String
    ) -> HuntMoments {
        let relations = world.relations(of: name.type, place, in: request)
        let views = world.views(of: name.type, place, in: request)
        var members: Set = ["id", "type", "href", "attributes"]
        if !relations.isEmpty { members.insert("relationships") }
        if !views.isEmpty { members.insert("views") }
        guard let node, expect(node, members, path) else { return HuntMoments() }
        expectLink(node, "href", world.path(of: name, in: request), path)
        var moments = attributes(node, name, place, path)
        let attributes = moments
        let all = relations.map { ($0.key, $0.value) } + views.map { ($0, true) }
        for (member, names) in [("relationships", relations.keys.map(\.name)), ("views", views.map(\.name))] {
            if let lists = node[member], !expect(lists, Set(names), "\(path).\(member)") { return HuntMoments() }
        }
        for (relation, isWhole) in all.sorted(by: { $0.0.rawValue < $1.0.rawValue }) {
            let member = relation.isView ? "views" : "relationships"
            let list = HuntList(name, relation)
            guard let inner = node[member]?[relation.name] else { continue }
            let limit = world.inlineLimit(of: list, place, in: request)
            let found = self.list(
                inner, list, 0, limit, world.place(in: relation), isWhole: isWhole,
                "\(path).\(member).\(relation.name)")
            moments = moments.intersection(found)
            if moments.isEmpty, !found.isEmpty, !attributes.isEmpty {
                fail(.mixed, path, "\(name) and its \(relation.name) are of no one moment")
                return HuntMoments()
            }
        }
        return moments
    }

    private mutating func attributes(
        _ node: JSONNode, _ name: HuntName, _ place: HuntPlace, _ path: String
    ) -> HuntMoments {
        guard let attributes = node["attributes"], case .literal(let text)? = attributes["rev"]?.content,
            let revision = Int(text)
        else {
            fail(.form, path, "\(name) has no revision")
            return HuntMoments()
        }
        let expected = world.attributes(of: name, revision: revision, place, in: request)
        if attributes.digest != expected.digest, expect(attributes, expected.names, "\(path).attributes") {
            fail(.form, "\(path).attributes", "\(attributes.written) instead of \(expected.written)")
        }
        let window = scope.window(naming: [name])
        let moments = HuntMoments(in: window) {
            world.state(of: name, in: scope.storefront, at: $0) == revision
        }
        if let other = shown.updateValue(revision, forKey: name), other != revision {
            fail(.mixed, path, "\(name) is r\(revision) here, and r\(other) before")
        }
        guard let earliest = moments.earliest, let latest = moments.latest else {
            let past = "was\(states(of: name, window)) in the last \(scope.now - window.lowerBound) s"
            fail(window == scope.window ? .state : .purge, path, "\(name) is r\(revision), and \(past)")
            return moments
        }
        sights.append(
            HuntSight(thing: .resource(name), earliest: earliest, latest: latest, path: path, place: place))
        return moments
    }

    private func states(of name: HuntName, _ window: ClosedRange<Int>) -> String {
        let states = window.map { world.state(of: name, in: scope.storefront, at: $0).map { "r\($0)" } ?? "away" }
        return states.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }.map { " \($0)" }
            .joined(separator: ",")
    }

    private mutating func expectLink(
        _ node: JSONNode, _ member: String, _ path: String, _ place: String, offset: Int? = nil
    ) {
        let expected = world.link(path, in: request, offset: offset)
        guard node[member]?.digest != expected.digest else { return }
        fail(.form, "\(place).\(member)", "\(node[member]?.written ?? "none") instead of \(expected.written)")
    }
}

// MARK: - Lists

extension HuntReading {
    private mutating func list(
        _ node: JSONNode, _ list: HuntList, _ offset: Int, _ limit: Int, _ place: HuntPlace, isWhole: Bool,
        _ path: String
    ) -> HuntMoments {
        let isInside = !path.isEmpty
        let own = isInside ? world.ownMembers(of: list.relation) : []
        let members = Set(own.map(\.name) + ["data"] + (isInside ? ["href"] : []))
        guard expect(node.without("next"), members, path) else { return HuntMoments() }
        let link = "\(world.path(of: list.parent, in: request))/\(list.relation.rawValue)"
        if isInside { expectLink(node, "href", link, path) }
        for member in own where node[member.name]?.digest != member.value.digest {
            fail(.form, "\(path).\(member.name)", "\(node[member.name]?.written ?? "none")")
        }
        let page = HuntPage(names: node.elementNames.compactMap(HuntName.init), next: node.nextOffset)
        if let next = page.next { expectLink(node, "next", link, path, offset: next) }
        let window = scope.window(naming: page.names)
        let moments = HuntMoments(in: window) { moment in
            (isInside || world.has(list.parent, in: scope.storefront, at: moment))
                && world.page(of: list, offset, limit, in: scope.storefront, at: moment) == page
        }
        if let earliest = moments.earliest, let latest = moments.latest {
            sights.append(HuntSight(thing: .list(list), earliest: earliest, latest: latest, path: path))
        } else {
            unknown(page, list, window, world.page(of: list, offset, limit, in: scope.storefront, at: scope.now), path)
        }
        for (index, element) in (node["data"]?.elements ?? []).enumerated() where index < page.names.count {
            let (name, place) = (page.names[index], place)
            let path = "\(path)\(isInside ? "." : "")data[\(index)]"
            if isWhole {
                _ = object(element, name, place, path)
            } else if expect(element, ["id", "type", "href"], path) {
                expectLink(element, "href", world.path(of: name, in: request), path)
            }
        }
        return moments
    }

    /// Says how a page that the origin never showed differs from that of now.
    private mutating func unknown(
        _ page: HuntPage, _ list: HuntList, _ window: ClosedRange<Int>, _ present: HuntPage?, _ path: String
    ) {
        let seconds = scope.now - window.lowerBound
        guard let present else {
            return fail(.state, path, "a page of \(list), which has had none for \(seconds) s")
        }
        let place = zip(page.names, present.names).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let counts = [page, present].map { "\($0.names.count) elements, next \($0.next.map(String.init) ?? "none")" }
        let difference =
            place.map { "\(page.names[$0]) at \($0) instead of \(present.names[$0])" }
            ?? counts.joined(separator: " instead of ")
        fail(
            window == scope.window ? .state : .purge, path,
            "\(list) was not like this in the last \(seconds) s; now: \(difference)")
    }
}
