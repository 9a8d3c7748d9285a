import TestSupport

@testable import Text

/// Documents of the API in unlikely forms: random members, order and spelling.
struct RandomDocument {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document() -> JSON {
        var members: [(String, JSON)] = []
        if chance(80) { members.append(("data", resources(depth: 0))) }
        if chance(30) { members.append(("next", "/v1/catalog/us/x?offset=25")) }
        if chance(40) { members.append(("results", region(depth: 0))) }
        if chance(10) { members.append(("views", region(depth: 0))) }
        if chance(40) { members.append(("meta", ["filters": ["isrc": ["A": [["id": "1", "type": "songs"]]]]])) }
        if chance(20) { members.append((text(), junk(depth: 0))) }
        return object(members)
    }

    private mutating func resources(depth: Int) -> JSON {
        .array((0..<below(depth == 0 ? 5 : 3)).map { _ in resource(depth: depth) })
    }

    private mutating func resource(depth: Int) -> JSON {
        let types = ["songs", "albums", "artists", "playlists", "library-songs", "x", "genres", "music-videos"]
        var members: [(String, JSON)] = [
            ("id", .string(pick(["1440935467", "pl.acc464c750b94302b8806e5fcbe56e17", "é", String(below(100))]))),
            ("type", .string(pick(types))),
        ]
        if chance(70) { members.append(("href", "/v1/catalog/us/songs/1")) }
        if chance(60) { members.append(("attributes", attributes())) }
        if chance(15) { members.append(("meta", junk(depth: 0))) }
        if chance(10) { members.append((text(), junk(depth: 0))) }
        if depth < 3, chance(50) { members.append(("relationships", relationships(depth: depth))) }
        if depth < 3, chance(15) { members.append(("views", relationships(depth: depth))) }
        return object(members)
    }

    private mutating func attributes() -> JSON {
        let names = [
            "name", "artistName", "genreNames", "url", "id", "type", "isAppleDigitalMaster", "playParams", text(),
        ]
        return object(names.filter { _ in chance(50) }.map { ($0, junk(depth: 0)) })
    }

    private mutating func relationships(depth: Int) -> JSON {
        let names = ["albums", "artists", "tracks", "genres", "id", "type", "data", text()].filter { _ in chance(30) }
        return object(
            names.map { name in
                var members: [(String, JSON)] = []
                if chance(80) { members.append(("href", .string(text()))) }
                if chance(85) { members.append(("data", resources(depth: depth + 1))) }
                if chance(30) { members.append(("next", "/v1/next?offset=1")) }
                if chance(20) { members.append(("meta", ["total": 3])) }
                if chance(20) { members.append(("attributes", ["title": "x", "data": [1]])) }
                if chance(5) { members.append(("views", ["x": ["data": [["id": "1", "type": "songs"]]]])) }
                return (name, object(members))
            })
    }

    /// The members of `results` and `views` at the top.
    private mutating func region(depth: Int) -> JSON {
        let names = ["songs", "albums", "top-results", text()].filter { _ in chance(50) }
        return object(
            names.map { name in
                var members: [(String, JSON)] = [("data", resources(depth: depth + 1))]
                if chance(40) { members.append(("next", "/v1/more")) }
                if chance(40) {
                    members.append(("attributes", ["title": "x", "data": [1, ["id": "1", "type": "a"]]]))
                }
                if chance(20) { members.append(("meta", ["data": [["id": "1", "type": "a"], 3]])) }
                let wrapper = object(members)
                return (name, chance(30) ? [wrapper, "x"] : wrapper)
            })
    }

    private mutating func junk(depth: Int) -> JSON {
        switch below(depth > 3 ? 5 : 8) {
        case 0: return pick([.null, .bool(true), .bool(false)])
        case 1: return .number(pick(["0", "-1.5E+3", "1e999999999999", "12345678901234567890", "215000"]))
        case 2, 3, 4: return .string(text())
        case 5: return .array((0..<below(4)).map { _ in junk(depth: depth + 1) })
        default:
            let names = ["id", "type", "data", "url", "width", text()].filter { _ in chance(40) }
            return object(names.map { ($0, junk(depth: depth + 1)) })
        }
    }

    private mutating func text() -> String {
        let pieces = [
            "name", "\"", "\\", "\n", "é", "🎵", "日本", "{w}x{h}", "/", "\u{7F}", String(repeating: "x", count: 20),
        ]
        return (0..<below(5)).map { _ in pick(pieces) }.joined()
    }

    /// In random order, of members with one name only the first.
    private mutating func object(_ members: [(String, JSON)]) -> JSON {
        var names: Set<[UInt8]> = []
        var object = JSONObject()
        for (name, value) in members.shuffled(using: &random) where names.insert(Array(name.utf8)).inserted {
            object.append(name, value)
        }
        return .object(object)
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    // MARK: Spelling

    /// The value as bytes, with random white space, and escapes where none is called for.
    mutating func spell(_ value: JSON) -> [UInt8] {
        var bytes: [UInt8] = []
        spell(value, isPlain: false, &bytes)
        space(&bytes)
        return bytes
    }

    private mutating func spell(_ value: JSON, isPlain: Bool, _ bytes: inout [UInt8]) {
        space(&bytes)
        switch value {
        case .string(let text) where !isPlain: spell(text, &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                spell(element, isPlain: false, &bytes)
            }
            space(&bytes)
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                space(&bytes)
                spell(member.key, &bytes)
                space(&bytes)
                bytes.append(UInt8(ascii: ":"))
                spell(member.value, isPlain: ["id", "type", "next"].contains(member.key), &bytes)
            }
            space(&bytes)
            bytes.append(UInt8(ascii: "}"))
        default: value.write(to: &bytes)
        }
    }

    private mutating func spell(_ text: String, _ bytes: inout [UInt8]) {
        guard chance(40) else { return JSON.write(string: text, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            if chance(20) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: chance(50))
                    bytes += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
                }
            } else {
                var one: [UInt8] = []
                JSON.write(string: String(scalar), to: &one)
                bytes += one.dropFirst().dropLast()
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func space(_ bytes: inout [UInt8]) {
        guard chance(30) else { return }
        for _ in 0..<(chance(5) ? 30 : 1 + below(3)) { bytes.append(pick([0x20, 0x20, 0x20, 0x0A, 0x0D, 0x09])) }
    }
}
