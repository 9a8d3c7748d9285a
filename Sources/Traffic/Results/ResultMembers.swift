import Text

/// Why a file is no result of a replay.
public struct ReplayResultError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The members of an object, and its path: errors name the member.
struct ResultMembers {
    private let object: JSONObject
    /// Empty for the whole, else `slots[3].`.
    private let path: String

    private static let mostMembers = 1000
    private static let wholeNumber = "a whole number from 0 to 2^53"

    init(_ value: JSON, _ path: String = "") throws(ReplayResultError) {
        guard let object = value.objectValue else {
            throw ReplayResultError((path.isEmpty ? "the whole" : path) + " is not a JSON object")
        }
        self.object = object
        self.path = path.isEmpty ? "" : path + "."
    }

    func problem(_ name: String, _ expected: String) -> ReplayResultError {
        ReplayResultError("\(path)\(name) is \(object[name] == nil ? "missing; it is" : "not") \(expected)")
    }

    private func read<Value>(
        _ name: String, _ expected: String, _ convert: (JSON) -> Value?
    ) throws(ReplayResultError) -> Value {
        guard let value = object[name].flatMap(convert) else { throw problem(name, expected) }
        return value
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    /// nil for null and where it is missing.
    func optional<Value>(
        _ name: String, _ read: (String) throws(ReplayResultError) -> Value
    ) throws(ReplayResultError) -> Value? {
        object[name] ?? .null == .null ? nil : try read(name)
    }

    func count(_ name: String) throws(ReplayResultError) -> Int {
        try read(name, Self.wholeNumber, \.countValue)
    }

    func text(_ name: String) throws(ReplayResultError) -> String { try read(name, "a string", \.stringValue) }

    func time(_ name: String) throws(ReplayResultError) -> Timestamp {
        try read(name, "a time such as 2026-11-21T00:00:00Z") { $0.stringValue.flatMap(Timestamp.init(_:)) }
    }

    func seconds(_ name: String) throws(ReplayResultError) -> Duration {
        try read(name, "a number of seconds from 0 to a billion") { value in
            if case .number(let text) = value { Duration(decimalSeconds: text) } else { nil }
        }
    }

    func counts(_ name: String) throws(ReplayResultError) -> [String: Int] {
        guard let members = object[name]?.objectValue?.members, members.count <= Self.mostMembers else {
            throw problem(name, "an object of at most \(Self.mostMembers) counts")
        }
        var counts: [String: Int] = [:]
        for member in members {
            guard let count = member.value.countValue else {
                throw ReplayResultError("\(path)\(name).\(member.key) is not \(Self.wholeNumber)")
            }
            counts[member.key] = count
        }
        return counts
    }

    func members(_ name: String) throws(ReplayResultError) -> ResultMembers {
        guard let value = object[name] else { throw problem(name, "a JSON object") }
        return try ResultMembers(value, path + name)
    }

    /// The elements of an array, with the path of each.
    func elements(_ name: String) throws(ReplayResultError) -> [(name: String, value: JSON)] {
        guard let elements = object[name]?.arrayValue else { throw problem(name, "an array") }
        return elements.enumerated().map { ("\(path)\(name)[\($0.offset)]", $0.element) }
    }
}
