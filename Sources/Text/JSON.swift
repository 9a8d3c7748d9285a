// JSON as a value (RFC 8259): what tests, the simulator, the composer and the admin surface share.
//
// What must hold: parsing and writing keep what the origin wrote. Members keep their order, numbers
// keep their spelling (they are never converted, so no exponent can cost time or precision),
// strings keep every scalar.

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
}

extension JSON {
    /// The number if it is spelt as an integer that fits; `1.0` and `1e2` are not.
    public var intValue: Int? {
        guard case .number(let lexeme) = self else { return nil }
        return Int(lexeme)
    }

    /// Nil for what is no string.
    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// Nil for what is no array.
    public var arrayValue: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// Nil for what is no object.
    public var objectValue: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The member of an object: the last one where a key occurs more than once (see
    /// ``JSONObject``).
    /// Reading a member of anything else gives nil. Writing one turns `null` into an object and
    /// leaves every other value that is not an object as it was. Writing nil removes the member.
    public subscript(key: String) -> JSON? {
        get {
            guard case .object(let object) = self else { return nil }
            return object[key]
        }
        set {
            switch self {
            case .object(var object):
                self = .null  // lets go of the second reference, so that the members are changed in place
                object[key] = newValue
                self = .object(object)
            case .null where newValue != nil:
                var object = JSONObject()
                object[key] = newValue
                self = .object(object)
            default: break
            }
        }
    }

    /// The element of an array; nil when this is no array or the index is outside it.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether both texts hold the same value, as ``isEquivalent(to:)`` has it. False where either
    /// is no JSON.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard let left = try? parse(one), let right = try? parse(other) else { return false }
        return left.isEquivalent(to: right)
    }

    /// Whether both say the same: like `==`, but the order of members does not count, and of
    /// members with the same key only the last does. The order differs between two answers of the
    /// origin to one request (APPLE-MUSIC-API 5.1.2). Numbers and strings are compared as they are
    /// spelt, escapes decoded. Recurses as deeply as the values are nested.
    func isEquivalent(to other: JSON) -> Bool {
        switch (self, other) {
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let mine), .object(let theirs)):
            let (mine, theirs) = (mine.lastByKey, theirs.lastByKey)
            return mine.count == theirs.count
                && mine.allSatisfy { key, value in theirs[key].map { value.isEquivalent(to: $0) } ?? false }
        case (.string(let mine), .string(let theirs)): return JSONObject.isSame(mine, theirs)
        default: return self == other
        }
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
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = JSONObject()
        for (key, value) in elements { object.append(key, value) }
        self = .object(object)
    }
}
