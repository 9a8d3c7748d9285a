// What a directive is. The parser, `check`, the test of the example file, the help and the man page
// are all made from `Directive.table`, so that a name, a default or a grammar is written down once.

struct Directive: Sendable {
    /// What a second line of the same name means.
    enum Repetition: Sendable {
        /// An error.
        case never
        /// One more value; the first line replaces the defaults.
        case adds
        /// A value for another first argument; it replaces the default of that one only.
        case perFirstArgument
    }

    /// What the first argument must be able to do as a file.
    enum FileRule: Sendable {
        case none
        case readable
        /// Readable by its owner alone, with this content.
        case secret(SecretKind)
    }

    /// What is in a file that only its owner may read.
    enum SecretKind: Sendable {
        /// One token and at most a line end behind it.
        case token
        /// The same, of the operator's making and thus of a least length.
        case adminToken
        /// A private key in PEM.
        case key
        /// A client and its key a line.
        case clientKeys
    }

    /// Values that stand for the absence of a file, of a listener or of a limit.
    static let off = "off"

    let name: String
    /// In the notation of the documentation: `[...]` may be left out, `...` repeats the word before
    /// it, `|` separates choices. The number of arguments is checked against it.
    let arguments: String
    /// The arguments of the lines that stand where nobody wrote one; none: unset.
    let defaults: [String]
    let repetition: Repetition
    let fileRule: FileRule
    /// Whether the running proxy cannot go over to another value on SIGHUP.
    let needsRestart: Bool
    /// One line for the example file and the documentation.
    let why: String
    /// What one line cannot say, for the man page.
    let details: String
    /// Puts the arguments, whose number has been checked, into a configuration.
    let apply: @Sendable (inout Configuration, [String]) throws(ValueError) -> Void

    init(
        _ name: String, _ arguments: String, defaults: [String] = [], repetition: Repetition = .never,
        fileRule: FileRule = .none, needsRestart: Bool = false, why: String, details: String = "",
        apply: @escaping @Sendable (inout Configuration, [String]) throws(ValueError) -> Void
    ) {
        self.name = name
        self.arguments = arguments
        self.defaults = defaults
        self.repetition = repetition
        self.fileRule = fileRule
        self.needsRestart = needsRestart
        self.why = needsRestart ? why + "; a change needs a restart" : why
        self.details = details
        self.apply = apply
    }

    /// How many arguments the grammar allows.
    var argumentCount: ClosedRange<Int> {
        var least = 0
        var most = 0
        var isOptional = false
        for word in arguments.split(separator: " ") {
            if word == "..." { return least...Int.max }
            if word.hasPrefix("[") { isOptional = true }
            most += 1
            least += isOptional ? 0 : 1
            if word.hasSuffix("]") { isOptional = false }
        }
        return least...most
    }

    /// Whether a second line of this name is allowed.
    var isRepeatable: Bool {
        if case .never = repetition { return false }
        return true
    }

    /// As it would be written: name and grammar.
    var spelling: String { name + " " + arguments }

    /// The directive of that name.
    static func named(_ name: String) -> Directive? { table.first { $0.name == name } }
}

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
    static func choice<Value>(_ name: String, _ field: Field<Value>, standard: Value, why: String) -> Directive
    where Value: RawRepresentable<String> & CaseIterable & Sendable {
        let grammar = Value.allCases.map(\.rawValue).joined(separator: "|")
        return Directive(name, grammar, defaults: [standard.rawValue], why: why) {
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
            let isWord = words[0].utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_".utf8.contains(byte)
            }
            guard isWord, (1...32).contains(words[0].utf8.count) else {
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
