/// The credentials that systemd gives a service, as the text of its unit has them (`systemctl cat`;
/// systemd.exec(5), "Credentials"). Pure.
struct UnitCredentials: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// `LoadCredential=NAME:FILE`: copied when the service starts.
        case file(String)
        /// Encrypted, written in the unit, or from a folder of systemd's choice: not to be read
        /// here. With the directive that brings it, such as `SetCredential=`.
        case other(String)
    }

    /// Name of the unit, such as `refrain@1.service`.
    let unit: String
    private var loaded: [String: Source] = [:]
    /// The directives of names that have a value in the unit itself, which holds where a file is
    /// missing.
    private var written: [String: String] = [:]
    /// Whether `ImportCredential=` brings others.
    private var importsOthers = false

    init(unit: String, text: String) {
        self.unit = unit
        var isService = false
        for line in Self.lines(of: text) {
            if line.hasPrefix("[") {
                isService = line == "[Service]"
            } else if isService, let equals = line.firstIndex(of: "=") {
                take(Self.trimmed(line[..<equals]), Self.trimmed(line[line.index(after: equals)...]))
            }
        }
    }

    /// Whether the service has any.
    var isEmpty: Bool { loaded.isEmpty && written.isEmpty && !importsOthers }

    /// The source of a credential; nil where the service gets none of this name.
    func source(of name: String) -> Source? {
        if let directive = written[name] { return .other(directive) }
        if let source = loaded[name] { return source }
        // `creds_FILE` may be a file in a folder that `LoadCredential=creds:FOLDER` names.
        let folder = loaded.keys.filter { name.hasPrefix($0 + "_") }.max { $0.utf8.count < $1.utf8.count }
        if let folder { return .other("LoadCredential=\(folder):FOLDER") }
        return importsOthers ? .other("ImportCredential=") : nil
    }

    /// An empty value empties the list that earlier lines have made; a later line for a name
    /// replaces the earlier one.
    private mutating func take(_ key: String, _ value: String) {
        let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
        let name = parts.first.flatMap(expanded)
        switch key {
        case "LoadCredential", "LoadCredentialEncrypted":
            if parts.isEmpty { loaded = [:] }
            guard let name else { return }
            loaded[name] = source(key, parts.count > 1 ? parts[1] : nil)
        case "SetCredential", "SetCredentialEncrypted":
            if parts.isEmpty { written = [:] }
            if let name { written[name] = key + "=" }
        case "ImportCredential": importsOthers = !value.isEmpty
        default: break
        }
    }

    /// - Parameter path: the path of a line; nil where it has none, and systemd looks in its own
    ///   folders.
    private func source(_ key: String, _ path: String?) -> Source {
        guard key == "LoadCredential" else { return .other(key + "=") }
        guard let path else { return .other("LoadCredential= without a path") }
        guard let file = expanded(path) else { return .other("LoadCredential= with \(path)") }
        return file.hasPrefix("/") ? .file(file) : .other("LoadCredential= without a folder")
    }

    /// The text with the specifiers of systemd.unit(5) replaced; nil where one is not known here.
    private func expanded(_ text: String) -> String? {
        let name = unit.hasSuffix(".service") ? String(unit.dropLast(8)) : unit
        let parts = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let instance = parts.count > 1 ? parts[1] : ""
        let values: [Character: String] = [
            "%": "%", "n": unit, "N": name, "p": parts[0], "i": instance, "E": "/etc", "S": "/var/lib", "L": "/var/log",
            "C": "/var/cache", "t": "/run",
        ]
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                result.append(character)
                continue
            }
            guard let specifier = rest.popFirst(), let value = values[specifier] else { return nil }
            result += value
        }
        return result
    }

    /// Lines without comments; one that ends in a backslash goes on with the next.
    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var begun = ""
        for line in text.split(separator: "\n") {
            let line = trimmed(line)
            guard !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
            if line.hasSuffix("\\") {
                begun += line.dropLast() + " "
            } else {
                lines.append(begun + line)
                begun = ""
            }
        }
        return begun.isEmpty ? lines : lines + [begun]
    }

    private static func trimmed(_ text: Substring) -> String {
        let end = text.lastIndex { !$0.isWhitespace }
        return end.map { String(text[...$0].drop(while: \.isWhitespace)) } ?? ""
    }
}
