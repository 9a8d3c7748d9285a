import Testing
import Text

@testable import AppleMusic

/// The contents of a document by a naive walk of the parser's value; compares a scan with them.
struct DocumentWalk {
    struct Found {
        let value: JSON
        /// The index of the resource whose relation it is an element of, and the relation's name.
        var owner: Int?
        var relation: String?
        var isPrimary = false
        var end = 0
    }

    private(set) var found: [Found] = []

    init(_ top: JSON) {
        for (name, value) in top.members {
            switch name {
            case "data": for element in value.arrayValue ?? [] { visit(Found(value: element, isPrimary: true)) }
            case "results", "views": search(value)
            default: break
            }
        }
    }

    /// Some captures were cut by hand.
    var holdsResourcesOnly: Bool {
        found.allSatisfy { $0.value["id"]?.stringValue != nil && $0.value["type"]?.stringValue != nil }
    }

    private mutating func visit(_ start: Found) {
        let index = found.count
        found.append(start)
        for (name, value) in start.value.members {
            guard name == "relationships" || name == "views" else { continue }
            for (relation, wrapper) in value.members {
                for element in wrapper["data"]?.arrayValue ?? [] {
                    visit(Found(value: element, owner: index, relation: relation))
                }
            }
        }
        found[index].end = found.count
    }

    private mutating func search(_ value: JSON) {
        for element in value.arrayValue ?? [] { search(element) }
        for (name, value) in value.members where name != "attributes" && name != "meta" {
            if name == "data", let elements = value.arrayValue {
                for element in elements { visit(Found(value: element)) }
            } else {
                search(value)
            }
        }
    }
}

extension JSON {
    var members: [(key: String, value: JSON)] { objectValue?.members.map { ($0.key, $0.value) } ?? [] }
}

/// A scan together with its text.
struct ScannedText {
    let bytes: [UInt8]
    let document: ResourceDocument

    func value(_ span: ByteSpan) throws -> JSON? {
        span.isEmpty ? nil : try JSON.parse(Array(bytes[span.range]))
    }

    /// The number of the names of an object's members, but for some.
    static func number(_ object: JSON?, without standard: Set<String> = []) -> UInt64 {
        (object?.members ?? []).map(\.key).filter { !standard.contains($0) }
            .reduce(0) { $0 &+ ResourceDocument.nameNumber(Array($1.utf8).span) }
    }

    /// Checks everything that a document says against the walk.
    func expect(_ top: JSON, _ source: Comment) throws {
        let walk = DocumentWalk(top)
        try #require(document.objects.count == walk.found.count, source)
        for (index, expected) in walk.found.enumerated() {
            try expect(document.objects[index], expected, source)
        }
        let envelope = document.envelope
        #expect(try value(envelope.data) == top["data"], source)
        #expect(try value(envelope.next) == top["next"], source)
        #expect(envelope.otherMembers == Self.number(top, without: ["data", "next"]), source)
        #expect(
            elements(envelope.firstElement, envelope.endElement)
                == walk.found.indices.filter { walk.found[$0].isPrimary },
            source)
        let owned = document.objects.reduce(0) { $0 + Int($1.endRelation - $1.firstRelation) }
        #expect(owned == document.relations.count, source)
        for relation in document.relations { try expect(relation, source) }
    }

    func elements(_ first: UInt32, _ end: UInt32) -> [Int] {
        var found: [Int] = []
        var next = first
        while next < end {
            found.append(Int(next))
            next = document.objects[Int(next)].end
        }
        return found
    }

    private func expect(
        _ object: ResourceDocument.Object, _ expected: DocumentWalk.Found, _ source: Comment
    ) throws {
        let resource = expected.value
        #expect(try value(object.whole) == resource, source)
        #expect(try value(object.id) == resource["id"], source)
        #expect(try value(object.typeName) == resource["type"], source)
        #expect(try value(object.href) == resource["href"], source)
        #expect(try value(object.attributes) == resource["attributes"], source)
        let type = resource["type"]?.stringValue ?? ""
        #expect(object.number == ResourceMention.number(type: type, id: resource["id"]?.stringValue ?? ""), source)
        #expect(object.type == ResourceClass(name: type).flatMap { $0.isResourceType ? $0 : nil }, source)
        #expect(object.attributeNames == Self.number(resource["attributes"]), source)
        let standard: Set = ["id", "type", "href", "attributes", "relationships", "views"]
        #expect(object.otherMembers == Self.number(resource, without: standard), source)
        #expect(object.hasRelationships == (resource["relationships"] != nil), source)
        #expect(object.hasViews == (resource["views"] != nil), source)
        let relations = document.relations[Int(object.firstRelation)..<Int(object.endRelation)]
        let members = resource.members.filter { ["relationships", "views"].contains($0.key) }.flatMap { group in
            group.value.members.map { (key: $0.key, value: $0.value, isView: group.key == "views") }
        }
        #expect(relations.map(\.isView) == members.map(\.isView), source)
        #expect(try relations.map { try value($0.spelling) } == members.map { JSON.string($0.key) }, source)
        #expect(try relations.map { try value($0.whole) } == members.map(\.value), source)
        #expect(Int(object.end) == expected.end, source)
        guard let owner = expected.owner, let name = expected.relation else {
            #expect(object.parent == -1, source)
            return
        }
        let parent = document.objects[owner]
        #expect(parent.firstRelation..<parent.endRelation ~= UInt32(object.parent), source)
        #expect(try value(document.relations[Int(object.parent)].spelling) == .string(name), source)
    }

    private func expect(_ relation: ResourceDocument.Relation, _ source: Comment) throws {
        let wrapper = try #require(try value(relation.whole), source)
        let name = try #require(try value(relation.spelling)?.stringValue, source)
        #expect(relation.name == ResourceDocument.nameNumber(Array(name.utf8).span, isView: relation.isView), source)
        #expect(try value(relation.data) == wrapper["data"], source)
        #expect(try value(relation.next) == wrapper["next"], source)
        #expect(relation.otherMembers == Self.number(wrapper, without: ["data", "next"]), source)
        #expect(
            try elements(relation.firstElement, relation.endElement).map { try value(document.objects[$0].whole) }
                == (wrapper["data"]?.arrayValue ?? []).map(Optional.some), source)
    }
}
