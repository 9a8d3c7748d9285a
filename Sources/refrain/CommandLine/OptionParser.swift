// From the words of the command line to options and arguments. Everything wrong is a usage error,
// and no value is repeated in a message: it could be a secret that the user hoped to pass.

/// Arguments of a command.
struct CommandArguments: Equatable, Sendable {
    fileprivate(set) var values: [String: [String]] = [:]
    fileprivate(set) var flags: Set<String> = []
    fileprivate(set) var positional: [String] = []

    /// The value of an option that was given.
    func value(_ option: CommandOption) -> String? { values[option.name]?.last }

    /// The values of a repeatable option.
    func all(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

    /// Whether a flag was given.
    func has(_ option: CommandOption) -> Bool { flags.contains(option.name) }
}

extension CommandArguments {
    /// The value of an option read by `read`, or nil where it was not given.
    func parsed<Value>(
        _ option: CommandOption, _ read: (String) throws(ValueError) -> Value
    ) throws(CommandFailure) -> Value? {
        guard value(option) != nil else { return nil }
        return try parsed(option, or: "", read)
    }

    /// The value of an option, read by `read`; that of `standard` where it was not given.
    func parsed<Value>(
        _ option: CommandOption, or standard: String, _ read: (String) throws(ValueError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(ValueError) {
            return try read(value(option) ?? standard)
        } catch {
            throw .usage("--\(option.name): \(error.message)")
        }
    }

    /// The value of an option that takes a number.
    func count(_ option: CommandOption, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        try parsed(option) { text throws(ValueError) in try Quantity.count(text, in: range) }
    }

    /// The value of an option that takes one of `words`.
    func word(_ option: CommandOption, of words: [String]) throws(CommandFailure) -> String? {
        try parsed(option) { word throws(ValueError) in
            guard words.contains(word) else { throw ValueError(word, isNoneOf: words) }
            return word
        }
    }
}

enum OptionParser {
    /// `words` are those after the command's name; `--` ends the options.
    static func parse(_ words: [String], for command: Command) throws(CommandFailure) -> CommandArguments {
        var result = CommandArguments()
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                result.positional += rest
                break
            }
            if word == "-h" {
                result.flags.insert(CommandOption.help.name)
            } else if word.hasPrefix("--") {
                try take(word.dropFirst(2), &rest, of: command, into: &result)
            } else if word.hasPrefix("-"), word != "-" {
                throw .usage("\(command.name): options begin with \"--\"\(seeHelp(command))")
            } else {
                result.positional.append(word)
            }
        }
        let most = command.mostPositional
        guard result.positional.count <= most || result.has(.help) else {
            throw .usage("\(command.name): unexpected argument \(quoted(result.positional[most]))\(seeHelp(command))")
        }
        return result
    }

    private static func take(
        _ word: Substring, _ rest: inout ArraySlice<String>, of command: Command, into result: inout CommandArguments
    ) throws(CommandFailure) {
        let equals = word.firstIndex(of: "=")
        let name = String(word[..<(equals ?? word.endIndex)])
        let inline = equals.map { String(word[word.index(after: $0)...]) }
        let options = command.allOptions
        guard let option = options.first(where: { $0.name == name }) else {
            let hint = Suggestion.nearest(to: name, in: options.map(\.name)).map { "; did you mean \"--\($0)\"?" }
            throw .usage("\(command.name): unknown option \(quoted("--" + name))\(hint ?? seeHelp(command))")
        }
        guard option.value != nil else {
            guard inline == nil else { throw .usage("\(command.name): --\(name) takes no value") }
            result.flags.insert(name)
            return
        }
        let next = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
        guard let value = inline ?? next, !value.isEmpty else {
            throw .usage("\(command.name): --\(name) needs a value (\(option.spelling))")
        }
        if inline == nil { rest.removeFirst() }
        guard option.isRepeatable || result.values[name] == nil else {
            throw .usage("\(command.name): --\(name) is given twice")
        }
        result.values[name, default: []].append(value)
    }

    private static func seeHelp(_ command: Command) -> String { " (see \"refrain help \(command.name)\")" }
}
