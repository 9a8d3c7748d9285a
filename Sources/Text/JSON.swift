// JSON as a value (RFC 8259), for tests, the simulator, the composer and the admin surface.
//
// Must hold: parsing and writing keep the origin's spelling. Members keep their order, numbers keep
// their spelling (they are never converted, so no exponent can cost time or precision), strings
// keep every scalar.

/// A JSON value (RFC 8259 section 3).
public enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as it was spelt, for example `1.50` or `1e400`. `JSON.parse` puts only valid
    /// lexemes here.
    case number(String)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// A whole number.
    public static func integer(_ value: Int) -> JSON { .number(String(value)) }

    /// An object of the members given, in their order.
    public static func object(members: KeyValuePairs<String, JSON>) -> JSON { .object(JSONObject(members)) }

    /// An object with a member for each pair, in their order.
    public static func object(pairs: [(String, JSON)]) -> JSON {
        .object(JSONObject(members: pairs.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    /// The greatest count that is believed. A thousand of them can be added.
    public static let mostCounted = 1 << 53

    /// The number if it is a whole one from 0 to `mostCounted`, so that it can be added to others.
    public var countValue: Int? { intValue.flatMap { (0...Self.mostCounted).contains($0) ? $0 : nil } }

    /// The number if it is spelt as an integer that fits; `1.0` and `1e2` are not.
    public var intValue: Int? {
        guard case .number(let lexeme) = self else { return nil }
        return Int(lexeme)
    }

    /// Nil for other values.
    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// Nil for other values.
    public var arrayValue: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// Nil for other values.
    public var objectValue: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The member of an object: the last one where a key occurs more than once (see
    /// ``JSONObject``). Nil for anything else.
    public subscript(key: String) -> JSON? { objectValue?[key] }

    /// The element of an array; nil when this is no array or the index is outside it.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

// Not by `nil`: where a `JSON?` is meant, `condition ? value : nil` would silently become `.null`.
extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(pairs: elements) }
}
