// Where two answers part. Must hold: the order of members does not count, because it differs
// between two answers of the origin to one request (APPLE-MUSIC-API 5.1.2); of members with one
// name the last does; numbers and strings are compared as they are spelt, escapes decoded.

/// The first place at which two contents differ.
public struct JSONDifference: Sendable, Equatable {
    /// A JSONPath (RFC 9535) such as `$.data[0].attributes.name`; `content` where one of both is no
    /// JSON. At most 400 characters, of a longer one the end.
    public let path: String
    /// The value in the first, in at most 80 characters.
    public let expected: String
    /// The value in the second, in at most 80 characters.
    public let found: String

    /// nil where both say the same.
    public static func first(expected: [UInt8], found: [UInt8]) -> JSONDifference? {
        if expected == found { return nil }
        guard let left = try? JSON.parse(content: expected.span), let right = try? JSON.parse(content: found.span)
        else {
            return JSONDifference(content: expected, found)
        }
        return first(expected: left, found: right)
    }

    /// nil where both say the same. Goes as deep as the values do: `JSON.parse` lets none be deeper
    /// than `JSON.maxDepth`.
    public static func first(expected: JSON, found: JSON) -> JSONDifference? {
        guard let difference = difference(expected, found) else { return nil }
        let path = ("$" + difference.path).unicodeScalars
        // Its end says most.
        let isLong = path.count > longestPath
        let bounded = isLong ? "$…" + String(String.UnicodeScalarView(path.suffix(longestPath - 2))) : String(path)
        return JSONDifference(path: bounded, expected: difference.expected, found: difference.found)
    }

    /// The first difference below these values; steps are added to its path on the way out.
    private static func difference(_ expected: JSON, _ found: JSON) -> JSONDifference? {
        switch (expected, found) {
        case (.object(let left), .object(let right)): return difference(left, right)
        case (.array(let left), .array(let right)):
            guard left.count == right.count else {
                return JSONDifference(path: "", expected: elements(left.count), found: elements(right.count))
            }
            for (index, pair) in zip(left, right).enumerated() {
                if let difference = difference(pair.0, pair.1) { return difference.within("[\(index)]") }
            }
            return nil
        case (.string(let left), .string(let right)) where left.utf8.elementsEqual(right.utf8): return nil
        // Swift takes two spellings of one character for equal, which are two strings in JSON.
        case (.string, .string): return JSONDifference("", expected, found)
        default: return expected == found ? nil : JSONDifference("", expected, found)
        }
    }

    /// Members in the expected order, then those that are too many.
    private static func difference(_ expected: JSONObject, _ found: JSONObject) -> JSONDifference? {
        let (left, right) = (expected.lastByKey, found.lastByKey)
        for member in expected.members {
            let name = Array(member.key.utf8)
            guard let value = left[name] else { continue }
            guard let other = right[name] else { return JSONDifference(step(member.key), value, nil) }
            if let difference = difference(value, other) { return difference.within(step(member.key)) }
        }
        for member in found.members where left[Array(member.key.utf8)] == nil {
            return JSONDifference(step(member.key), nil, right[Array(member.key.utf8)])
        }
        return nil
    }

    private func within(_ step: String) -> JSONDifference {
        JSONDifference(path: step + path, expected: expected, found: found)
    }

    /// `.name` for a plain name, else `["any text"]`.
    private static func step(_ name: String) -> String {
        let isPlain =
            name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            } && name.utf8.first.map { !(0x30...0x39).contains($0) } == true
        return isPlain && name.utf8.count <= longest ? ".\(name)" : "[\(JSON.string(shortened(name)))]"
    }

    private static func elements(_ count: Int) -> String { count == 1 ? "1 element" : "\(count) elements" }

    public init(path: String, expected: String, found: String) {
        (self.path, self.expected, self.found) = (path, expected, found)
    }

    private init(_ path: String, _ expected: JSON?, _ found: JSON?) {
        self.init(path: path, expected: Self.shortened(expected), found: Self.shortened(found))
    }

    private init(content expected: [UInt8], _ found: [UInt8]) {
        let same = zip(expected, found).prefix { $0 == $1 }.count
        self.init(
            path: "content", expected: "\(expected.count) bytes",
            found: "\(found.count) bytes, the same up to byte \(same)")
    }

    private static func shortened(_ value: JSON?) -> String {
        value.map { shortened($0.description) } ?? "no such member"
    }

    private static func shortened(_ text: String) -> String {
        // By scalars: one character may be as long as an answer.
        guard text.unicodeScalars.count > longest else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest - 1))) + "…"
    }

    private static let longest = 80
    private static let longestPath = 400
}
