// Documents of the API as trees: the names of their elements, and an object's own members.

extension JSONNode {
    /// The names of the elements of a list, in order: `type/id` each.
    var elementNames: [String] { (self["data"]?.elements ?? []).map { $0.identity ?? "?" } }

    /// A list with its elements' names in the place of the elements.
    var skeleton: JSONNode {
        let names = JSONNode(.array(elementNames.map { JSONNode(.string($0)) }))
        return JSONNode(.object(without("data").members + [("data", names)]))
    }

    /// An object with the names of other resources in the place of those resources: its own part of
    /// an answer, which the origin shows as a whole.
    var ownPart: JSONNode {
        JSONNode(
            .object(
                members.map { name, value in
                    guard name == "relationships" || name == "views" else { return (name, value) }
                    return (name, JSONNode(.object(value.members.map { ($0.name, $0.value.skeleton) })))
                }))
    }

    /// The relationships and views of an object, with the path of each below that of the object.
    var lists: [(path: String, value: JSONNode)] {
        (self["relationships"]?.members ?? []).map { ($0.name, $0.value) }
            + (self["views"]?.members ?? []).map { ("view/" + $0.name, $0.value) }
    }

    /// Whether an object says more of a resource than its name.
    var showsResource: Bool { self["attributes"] != nil || self["relationships"] != nil }

    /// The offset in a list's `next`; nil on its last page.
    var nextOffset: Int? {
        guard let link = self["next"]?.text, let found = link.range(of: "offset=") else { return nil }
        return Int(link[found.upperBound...].prefix { $0.isNumber })
    }
}

extension JSONNode {
    /// A resource that an answer shows at two places with different attributes; nil for none.
    ///
    /// The same names are compared: `extend` and `fields` add and leave out names at some places
    /// alone (APPLE-MUSIC-API 4.3).
    var resourceInTwoStates: String? {
        var shown: [String: [JSONNode]] = [:]
        return firstInTwoStates(&shown)
    }

    private func firstInTwoStates(_ shown: inout [String: [JSONNode]]) -> String? {
        if let identity, let attributes = self["attributes"] {
            let others = shown[identity] ?? []
            if others.contains(where: { $0.contradicts(attributes) }) { return identity }
            if !others.contains(where: { $0.digest == attributes.digest }) {
                shown[identity] = others + [attributes]
            }
        }
        for child in members.map(\.value) + elements {
            if let found = child.firstInTwoStates(&shown) { return found }
        }
        return nil
    }

    /// Whether a member of both has another value in each.
    func contradicts(_ other: JSONNode) -> Bool {
        digest != other.digest
            && members.contains { name, value in other[name].map { $0.digest != value.digest } ?? false }
    }
}
