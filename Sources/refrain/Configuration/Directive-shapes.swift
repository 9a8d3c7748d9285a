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

    /// A directive with one argument, of which `read` makes the value.
    static func value<Value: Sendable>(
        _ name: String, _ grammar: String, _ field: Field<Value>, standard: String? = nil, needsRestart: Bool = false,
        why: String, details: String = "", read: @escaping @Sendable (String) throws(ValueError) -> Value
    ) -> Directive {
        Directive(
            name, grammar, defaults: standard.map { [$0] } ?? [], needsRestart: needsRestart, why: why, details: details
        ) { configuration, words throws(ValueError) in
            configuration[keyPath: field] = try read(words[0])
        }
    }

    /// A directive with one argument, or `off`, which is no value.
    static func optional<Value: Sendable>(
        _ name: String, _ grammar: String, _ field: Field<Value?>, standard: String = off, needsRestart: Bool = false,
        why: String, details: String = "", read: @escaping @Sendable (String) throws(ValueError) -> Value
    ) -> Directive {
        value(
            name, grammar + "|off", field, standard: standard, needsRestart: needsRestart, why: why, details: details
        ) { word throws(ValueError) in word == off ? nil : try read(word) }
    }

    /// A directive whose argument is one of the names of an enumeration.
    static func choice<Value>(
        _ name: String, _ field: Field<Value>, standard: Value, why: String
    ) -> Directive
    where Value: RawRepresentable<String> & CaseIterable & Sendable {
        let grammar = Value.allCases.map(\.rawValue).joined(separator: "|")
        return value(name, grammar, field, standard: standard.rawValue, why: why, read: Value.init(choice:))
    }

    /// A directive with one of two words, of which the first means `first` and is the default.
    static func toggle(
        _ name: String, _ field: Field<Bool>, _ words: (String, String) = ("on", off), first: Bool = true,
        needsRestart: Bool = false, why: String
    ) -> Directive {
        value(name, "\(words.0)|\(words.1)", field, standard: words.0, needsRestart: needsRestart, why: why) {
            word throws(ValueError) in
            guard word == words.0 || word == words.1 else {
                let hint = Suggestion.text(for: word, in: [words.0, words.1])
                throw ValueError(word, isNot: "\(words.0) or \(words.1)\(hint)")
            }
            return (word == words.0) == first
        }
    }

    /// `SIZE`, in bytes, at least `minimum`.
    static func size(
        _ name: String, _ field: Field<Int>, standard: String, minimum: Int = 1 << 20, needsRestart: Bool = false,
        why: String
    ) -> Directive {
        value(name, "SIZE", field, standard: standard, needsRestart: needsRestart, why: why) {
            word throws(ValueError) in try Quantity.size(word, atLeast: minimum)
        }
    }

    /// `DURATION`, from 10 ms on.
    /// - Parameter most: how the longest one is written.
    static func duration(
        _ name: String, _ field: Field<Duration>, standard: String,
        upTo most: (Duration, String) = (.seconds(86_400), "1d"), needsRestart: Bool = false, why: String
    ) -> Directive {
        value(name, "DURATION", field, standard: standard, needsRestart: needsRestart, why: why) {
            word throws(ValueError) in
            try Quantity.duration(word, in: .milliseconds(10)...most.0, "between 10ms and \(most.1)")
        }
    }

    /// `ID`: an identifier of Apple's developer pages, 10 letters and digits today; anything that
    /// is safe in a token passes.
    static func identifier(_ name: String, _ field: Field<String?>, why: String) -> Directive {
        value(name, "ID", field, why: why) { word throws(ValueError) in
            guard PlainWord.isOne(word, with: "-_", upTo: 32) else {
                throw ValueError(word, isNot: "an identifier (letters and digits)")
            }
            return word
        }
    }
}

extension RawRepresentable<String> where Self: CaseIterable {
    /// The case that is written `text`.
    init(choice text: String) throws(ValueError) {
        guard let value = Self(rawValue: text) else {
            throw ValueError(text, isNoneOf: Self.allCases.map(\.rawValue))
        }
        self = value
    }
}
