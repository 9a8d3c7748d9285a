import Text

/// A JSON value that compares fast. Members are equal in any order; numbers are equal when they are
/// spelt alike, because nothing respells them on the way.
///
/// It is read by the parser of values, which has no part in how answers are composed.
final class JSONNode: Sendable {
    enum Content: Sendable {
        case object([(name: String, value: JSONNode)])
        case array([JSONNode])
        case string(String)
        /// A number, `true`, `false` or `null`, as it is spelt.
        case literal(String)
    }

    /// Two members of an object have this name: splicing makes them, clients read one of them.
    struct RepeatedName: Error { let name: String }

    let content: Content
    /// Equal for equal values, and for others only by an accident of 64 bits.
    let digest: Int

    /// - Throws: `JSONError`, or ``RepeatedName``.
    static func parse(_ bytes: [UInt8]) throws -> JSONNode { try JSONNode(reading: JSON.parse(bytes)) }

    private convenience init(reading json: JSON) throws {
        switch json {
        case .null: self.init(.literal("null"))
        case .bool(let value): self.init(.literal("\(value)"))
        case .number(let text): self.init(.literal(text))
        case .string(let text): self.init(.string(text))
        case .array(let elements): self.init(.array(try elements.map { try JSONNode(reading: $0) }))
        case .object(let object):
            var names: Set<String> = []
            for name in object.keys where !names.insert(name).inserted { throw RepeatedName(name: name) }
            self.init(.object(try object.members.map { ($0.key, try JSONNode(reading: $0.value)) }))
        }
    }

    init(_ content: Content) {
        self.content = content
        switch content {
        case .object(let members):
            digest = members.reduce(1) { sum, member in
                var hasher = Hasher()
                hasher.combine(member.name)
                hasher.combine(member.value.digest)
                return sum &+ hasher.finalize()
            }
        case .array(let elements):
            var hasher = Hasher()
            hasher.combine(elements.count)
            for element in elements { hasher.combine(element.digest) }
            digest = hasher.finalize()
        case .string(let text): digest = "s\(text)".hashValue
        case .literal(let text): digest = "l\(text)".hashValue
        }
    }

    var members: [(name: String, value: JSONNode)] {
        if case .object(let members) = content { members } else { [] }
    }

    var elements: [JSONNode] { if case .array(let elements) = content { elements } else { [] } }

    var text: String? { if case .string(let text) = content { text } else { nil } }

    var names: Set<String> { Set(members.map(\.name)) }

    subscript(_ name: String) -> JSONNode? { members.first { $0.name == name }?.value }

    /// `type/id` of a resource object.
    var identity: String? {
        guard let type = self["type"]?.text, let id = self["id"]?.text else { return nil }
        return "\(type)/\(id)"
    }

    func without(_ names: String...) -> JSONNode {
        JSONNode(.object(members.filter { !names.contains($0.name) }))
    }
}
