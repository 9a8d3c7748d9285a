import Foundation

/// A JSON value that compares fast and shows where it is wrong, read apart from the project's own
/// grammar so that it can judge it. Members are equal in any order; numbers are equal when they are
/// spelt alike, because nothing respells them on the way.
final class JSONNode: Sendable {
    enum Content: Sendable {
        case object([(name: String, value: JSONNode)])
        case array([JSONNode])
        case string(String)
        /// A number, `true`, `false` or `null`, as it is spelt.
        case literal(String)
    }

    /// Why a text is no JSON that an origin would write.
    struct Malformed: Error {
        let offset: Int
        let reason: String
    }

    let content: Content
    /// Equal for equal values, and for others only by an accident of 64 bits.
    let digest: Int

    /// - Throws: ``Malformed``, also for an object with two members of one name: splicing makes
    ///   them, clients read one of them.
    static func parse(_ bytes: [UInt8]) throws -> JSONNode {
        try bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes: bytes)
            let node = try reader.value()
            reader.skipSpace()
            guard reader.position == bytes.count else { throw reader.malformed("something behind the value") }
            return node
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

    var elements: [JSONNode] {
        if case .array(let elements) = content { elements } else { [] }
    }

    var text: String? {
        if case .string(let text) = content { text } else { nil }
    }

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

private struct JSONReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    func malformed(_ reason: String) -> JSONNode.Malformed { JSONNode.Malformed(offset: position, reason: reason) }

    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipSpace() {
        while next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    mutating func value() throws -> JSONNode {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return JSONNode(.object(try object()))
        case UInt8(ascii: "["): return JSONNode(.array(try array()))
        case UInt8(ascii: "\""): return JSONNode(.string(try string()))
        default: return JSONNode(.literal(try literal()))
        }
    }

    /// Whether another element follows; what opened the list, or the comma, is next.
    private mutating func goesOn(until close: Unicode.Scalar, isFirst: Bool) throws -> Bool {
        if isFirst { position += 1 }
        skipSpace()
        if next == UInt8(ascii: close) {
            position += 1
            return false
        }
        if isFirst { return true }
        guard next == UInt8(ascii: ",") else { throw malformed("no comma") }
        position += 1
        skipSpace()
        return true
    }

    private mutating func object() throws -> [(name: String, value: JSONNode)] {
        var members: [(name: String, value: JSONNode)] = []
        while try goesOn(until: "}", isFirst: members.isEmpty) {
            let name = try string()
            if members.contains(where: { $0.name == name }) { throw malformed("two members are called \(name)") }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw malformed("no colon") }
            position += 1
            members.append((name, try value()))
        }
        return members
    }

    private mutating func array() throws -> [JSONNode] {
        var elements: [JSONNode] = []
        while try goesOn(until: "]", isFirst: elements.isEmpty) { elements.append(try value()) }
        return elements
    }

    private mutating func string() throws -> String {
        guard next == UInt8(ascii: "\"") else { throw malformed("no string") }
        let start = position
        position += 1
        var hasEscapes = false
        while next != UInt8(ascii: "\"") {
            guard next >= 0x20 else { throw malformed("a control character or the end in a string") }
            if next == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
            position += 1
        }
        position += 1
        let whole = bytes[start..<position]
        if !hasEscapes { return String(decoding: whole.dropFirst().dropLast(), as: UTF8.self) }
        let decoded = try? JSONSerialization.jsonObject(with: Data(whole), options: .fragmentsAllowed)
        guard let text = decoded as? String else { throw malformed("a bad escape") }
        return text
    }

    private mutating func literal() throws -> String {
        let start = position
        while true {
            switch next {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
                position += 1
            default:
                guard position > start else { throw malformed("no value") }
                return String(decoding: bytes[start..<position], as: UTF8.self)
            }
        }
    }
}
