import EventLoop

// From the path of a file to settings: includes, repetition, defaults, then the checks. Pure but
// for `FileAccess`.

/// A configuration that may be run, and the lines it is made of.
struct EffectiveConfiguration: Sendable {
    let configuration: Configuration
    /// In the order of `Directive.table`; directives that are unset have none.
    let lines: [SettingLine]
}

struct ConfigurationReader {
    /// Deeper than any sensible tree of includes; symbolic links could otherwise hide a cycle for
    /// ever.
    static let maxIncludeDepth = 16

    private let files: FileAccess
    /// Whether the program found the file by itself: then owners and modes count.
    private let isFound: Bool
    private var written: [SettingLine] = []
    /// Directives with a line that says nothing, because it is wrong.
    private var refused: Set<String> = []
    private var errors: [ConfigurationError] = []
    private var readingOrder: [String] = []
    /// Whether every line of every file could be read.
    private var isWhole = true

    /// Reads and checks a file and what it includes; throws all that is wrong at once.
    static func read(
        _ file: ConfigurationFile, files: FileAccess
    ) throws(CommandFailure) -> EffectiveConfiguration {
        try ConfigurationReader(files: files, file).finish()
    }

    /// The admin listener of a running proxy, and the file of its token. Throws the mistakes of the
    /// lines that name them; where not every line could be read, all mistakes: an unread line might
    /// have named them, and another proxy would be asked.
    static func readForClients(
        _ file: ConfigurationFile, files: FileAccess
    ) throws(CommandFailure) -> Configuration {
        try ConfigurationReader(files: files, file).finishForClients()
    }

    /// The defaults, for `demo` and as the start of tests.
    static func standard() throws(CommandFailure) -> EffectiveConfiguration {
        try ConfigurationReader(files: .system).finish()
    }

    private init(files: FileAccess, _ file: ConfigurationFile? = nil) {
        self.files = files
        isFound = file?.isFound ?? false
        if let file { read(file.path, includedFrom: nil, chain: []) }
    }

    // MARK: Lines

    private mutating func read(_ path: String, includedFrom place: SourceLine?, chain: [String]) {
        guard !chain.contains(path) else {
            isWhole = false
            let circle = (chain.drop { $0 != path } + [path]).joined(separator: " -> ")
            return report(place, "\(path) includes itself: \(circle)")
        }
        guard chain.count < Self.maxIncludeDepth else {
            isWhole = false
            return report(place, "more than \(Self.maxIncludeDepth) files deep")
        }
        readingOrder.append(path)
        do throws(FileProblem) {
            let bytes = try (isFound ? files.readFound ?? files.read : files.read)(path)
            let before = errors.count
            let lines = ConfigurationLexer.lines(of: bytes, file: path, errors: &errors)
            if errors.count > before { isWhole = false }
            for line in lines {
                take(line, chain: chain + [path])
            }
        } catch {
            isWhole = false
            report(place, "cannot read \(path): \(error.message)")
        }
    }

    private mutating func take(_ line: ConfigurationLine, chain: [String]) {
        let words = Array(line.words.dropFirst())
        guard let directive = Directive.named(line.words[0]) else {
            let hint = Suggestion.text(for: line.words[0], in: Directive.table.map(\.name))
            return report(line.place, "unknown directive \(quoted(line.words[0]))\(hint)")
        }
        guard directive.argumentCount.contains(words.count) else {
            return refuse(
                line, directive,
                "expected \(directive.arguments), found \(words.count) argument\(words.count == 1 ? "" : "s")")
        }
        if let last = words.last, last.hasSuffix(";"), !directive.arguments.hasPrefix("FILE") {
            return refuse(line, directive, "a directive ends with its line, not with \";\"")
        }
        if directive.name == Directive.include {
            return read(Self.resolve(words[0], besides: line.place.file), includedFrom: line.place, chain: chain)
        }
        let (path, problem) = Self.expanded(words[0], directive, files)
        if let problem { return refuse(line, directive, problem) }
        let setting = SettingLine(directive: directive, words: [path] + words.dropFirst(), place: line.place)
        if let place = written.first(where: { Self.excludes($0, setting) })?.place {
            let what = directive.repetition == .never ? directive.name : "\(directive.name) \(words[0])"
            return report(line.place, "\(what) is already set at \(place)")
        }
        written.append(setting)
    }

    /// The path of a file that is read as a whole, with `$CREDENTIALS_DIRECTORY/` at its beginning
    /// written out: no other variable is known, and no other directive looks for one.
    private static func expanded(
        _ word: String, _ directive: Directive, _ files: FileAccess
    ) -> (path: String, problem: String?) {
        let variable = "$CREDENTIALS_DIRECTORY"
        guard directive.fileRule.sum != nil, word.hasPrefix(variable + "/") else { return (word, nil) }
        guard let directory = files.credentialsDirectory ?? files.stoppedCredentials() else {
            return (
                word,
                "\(variable) is not set; systemd sets it for LoadCredential=; root can use that of "
                    + "refrain.service while it runs"
            )
        }
        return (directory + word.dropFirst(variable.count), nil)
    }

    private static func excludes(_ first: SettingLine, _ second: SettingLine) -> Bool {
        guard first.directive.name == second.directive.name else { return false }
        switch first.directive.repetition {
        case .never: return true
        case .adds: return false
        case .perFirstArgument: return first.words[0] == second.words[0]
        }
    }

    /// The path of an included file: absolute, or beside the file that names it. `.` and `..` are
    /// resolved, so that one file has one name.
    static func resolve(_ path: String, besides file: String) -> String {
        var parts: [Substring] = []
        let whole = (path.hasPrefix("/") ? "" : FilePath.folder(of: file)) + path
        for part in whole.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (whole.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    // MARK: The whole

    private consuming func finish() throws(CommandFailure) -> EffectiveConfiguration {
        let lines = Directive.table.flatMap(settings)
        let configuration = Configuration(applying: lines, errors: &errors)
        let checks = ConfigurationChecks(configuration: configuration, lines: lines, files: files, refused: refused)
        errors += checks.problems()
        // The start would find these next, one at a time.
        if !errors.isEmpty { errors += checks.forecast().errors }
        guard errors.isEmpty else { throw .configuration(inReadingOrder(errors)) }
        return EffectiveConfiguration(configuration: configuration, lines: lines)
    }

    private consuming func finishForClients() throws(CommandFailure) -> Configuration {
        let names = ["admin_listen", "admin_token_file"]
        if isWhole { errors.removeAll { error in !names.contains { error.message.hasPrefix($0) } } }
        let lines = Directive.table.filter { names.contains($0.name) }.flatMap(settings)
        let configuration = Configuration(applying: lines, errors: &errors)
        guard errors.isEmpty else { throw .configuration(inReadingOrder(errors)) }
        return configuration
    }

    private func settings(of directive: Directive) -> [SettingLine] {
        let mine = written.filter { $0.directive.name == directive.name }
        return Self.defaults(of: directive, besides: mine) + mine
    }

    private static func defaults(of directive: Directive, besides mine: [SettingLine]) -> [SettingLine] {
        let lines = directive.defaults.map { text in
            SettingLine(directive: directive, words: text.split(separator: " ").map(String.init), place: nil)
        }
        guard directive.repetition == .perFirstArgument else { return mine.isEmpty ? lines : [] }
        return lines.filter { line in !mine.contains { $0.words[0] == line.words[0] } }
    }

    private func inReadingOrder(_ errors: [ConfigurationError]) -> [ConfigurationError] {
        func rank(_ error: ConfigurationError) -> (Int, Int) {
            guard let place = error.place else { return (-1, 0) }
            return (readingOrder.firstIndex(of: place.file) ?? 0, place.line)
        }
        return errors.sorted { rank($0) < rank($1) }
    }

    private mutating func refuse(_ line: ConfigurationLine, _ directive: Directive, _ problem: String) {
        refused.insert(directive.name)
        report(line.place, "\(directive.name): \(problem)")
    }

    private mutating func report(_ place: SourceLine?, _ message: String) {
        errors.append(ConfigurationError(place: place, message: message))
    }
}
