import AppleMusic
import Text

/// The names that the clients of one node want, by type, as one line for the other nodes:
///
///     albums:120,artists=34,tracks=20;artists:66,albums=12,view.top-songs=30
///
/// Requests of each type come first, then how many of them have a name.
///
/// Must hold: a line has no space and `mostBytes` at most; a reader leaves out what it does not
/// understand, which is of a later version or was written by others.
struct WantedSummary: Sendable, Equatable {
    private(set) var types: [ResourceClass: WantedNames] = [:]

    static let mostBytes = 1_024
    private static let mostNames = 8
    private static let viewMark = "view."

    init(_ types: [ResourceClass: WantedNames]) { self.types = types }

    init(_ line: String) {
        guard line.utf8.count <= Self.mostBytes else { return }
        for part in line.split(separator: ";") {
            let fields = part.split(separator: ",")
            guard let head = fields.first?.split(separator: ":"), head.count == 2,
                let type = ResourceClass(name: String(head[0])), let requests = Self.count(head[1])
            else { continue }
            let counts = fields.dropFirst().prefix(Self.mostNames).compactMap { Self.name($0, most: requests) }
            types[type] = WantedNames(requests: requests, counts)
        }
    }

    /// The types with the most requests come first, and those for which there is no room are left
    /// out.
    var text: String {
        var text = ""
        let ordered = types.sorted { ($1.value.requests, $0.key.rawValue) < ($0.value.requests, $1.key.rawValue) }
        for (type, wanted) in ordered where wanted.requests > 0 {
            let names = wanted.most(Self.mostNames).filter { Self.isPlain($0.name.text) }.map { name, count in
                ",\(name.isView ? Self.viewMark : "")\(String(decoding: name.text, as: UTF8.self))=\(count)"
            }
            let part = "\(text.isEmpty ? "" : ";")\(type.name):\(wanted.requests)" + names.joined()
            if text.utf8.count + part.utf8.count <= Self.mostBytes { text += part }
        }
        return text
    }

    /// Whether it has twice as many requests of a type as an earlier one, or further names that are
    /// wanted often: so one request in a hundred has news at most, once there are many.
    func hasNews(since earlier: WantedSummary) -> Bool {
        types.contains { type, wanted in
            guard let before = earlier.types[type], before.requests > 0 else { return wanted.requests > 0 }
            return wanted.requests >= 2 * before.requests || !wanted.often.isSubset(of: before.often)
        }
    }

    /// Adds the counts of another node.
    mutating func add(_ other: WantedSummary) {
        types.merge(other.types) { $0.adding($1) }
    }

    private static func count(_ text: Substring) -> Int? {
        Int(text).flatMap { (1...WantedNames.most).contains($0) ? $0 : nil }
    }

    private static func name(_ field: Substring, most: Int) -> (name: Selection.Name, requests: Int)? {
        let parts = field.split(separator: "=")
        guard parts.count == 2, let count = count(parts[1]), count <= most else { return nil }
        let isView = parts[0].hasPrefix(viewMark)
        let text = Array(parts[0].dropFirst(isView ? viewMark.count : 0).utf8)
        return isPlain(text) ? (Selection.Name(text: text, isView: isView), count) : nil
    }

    /// Letters, digits and hyphens, as all documented names: others may not be in a line.
    private static func isPlain(_ name: [UInt8]) -> Bool {
        (1...32).contains(name.count)
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
