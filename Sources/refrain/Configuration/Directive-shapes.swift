// The shapes that several directives share.
extension Directive {
    typealias Field<Value> = WritableKeyPath<Configuration, Value> & Sendable

    /// `FILE`, or `FILE|off` where there is a default to switch off.
    static func file(
        _ name: String, _ field: Field<String?>, _ rule: FileRule = .none, standard: String? = nil,
        needsRestart: Bool = false, why: String
    ) -> Directive {
        let canBeOff = standard != nil
        return Directive(
            name, canBeOff ? "FILE|off" : "FILE", defaults: standard.map { [$0] } ?? [], fileRule: rule,
            needsRestart: needsRestart, why: why
        ) { configuration, words throws(ValueError) in
            guard !words[0].isEmpty else { throw ValueError("an empty file name") }
            configuration[keyPath: field] = canBeOff && words[0] == off ? nil : words[0]
        }
    }

    /// One of the names of an enumeration.
    static func choice<Value>(
        _ name: String, _ field: Field<Value>, standard: Value, needsRestart: Bool = false, why: String
    ) -> Directive
    where Value: RawRepresentable<String> & CaseIterable & Sendable {
        let grammar = Value.allCases.map(\.rawValue).joined(separator: "|")
        return Directive(name, grammar, defaults: [standard.rawValue], needsRestart: needsRestart, why: why) {
            configuration, words throws(ValueError) in
            configuration[keyPath: field] = try Value(choice: words[0])
        }
    }

    /// `on|off`.
    static func toggle(_ name: String, _ field: Field<Bool>, standard: Bool, why: String) -> Directive {
        Directive(name, "on|off", defaults: [standard ? "on" : off], why: why) {
            configuration, words throws(ValueError) in
            guard words[0] == "on" || words[0] == off else { throw ValueError(words[0], isNot: "on or off") }
            configuration[keyPath: field] = words[0] == "on"
        }
    }

    /// `SIZE`, in bytes, at least `minimum`. Room is set aside at the start.
    static func size(_ name: String, _ field: Field<Int>, standard: String, minimum: Int, why: String) -> Directive {
        Directive(name, "SIZE", defaults: [standard], needsRestart: true, why: why) {
            configuration, words throws(ValueError) in
            let bytes = try Quantity.size(words[0])
            guard bytes >= minimum else { throw ValueError(words[0], isNot: "a size of at least \(minimum) bytes") }
            configuration[keyPath: field] = bytes
        }
    }

    /// `ID`: what Apple's developer pages show, 10 letters and digits today; anything that is safe
    /// in a token passes.
    static func identifier(_ name: String, _ field: Field<String?>, why: String) -> Directive {
        Directive(name, "ID", why: why) { configuration, words throws(ValueError) in
            guard PlainWord.isOne(words[0], with: "-_", upTo: 32) else {
                throw ValueError(words[0], isNot: "an identifier (letters and digits)")
            }
            configuration[keyPath: field] = words[0]
        }
    }
}

extension RawRepresentable<String> where Self: CaseIterable {
    /// The case that is written `text`.
    init(choice text: String) throws(ValueError) {
        guard let value = Self(rawValue: text) else {
            let names = Self.allCases.map(\.rawValue)
            let others = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
            throw ValueError(text, isNot: others + Suggestion.text(for: text, in: names))
        }
        self = value
    }
}
