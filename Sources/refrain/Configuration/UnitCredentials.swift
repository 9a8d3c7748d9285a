/// The credentials that systemd gives a service, as the text of its unit has them (`systemctl cat`;
/// systemd.exec(5), "Credentials"). Pure.
struct UnitCredentials: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// `LoadCredential=NAME:FILE`: copied when the service starts.
        case file(String)
        /// Encrypted, written in the unit, or from a folder of systemd's choice: not to be read
        /// here.
        case other
    }

    /// Name of the unit, such as `refrain@1.service`.
    let unit: String
    private var loaded: [String: Source] = [:]
    /// Names that have a value in the unit itself, which holds where a file is missing.
    private var written: Set<String> = []
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
        if written.contains(name) { return .other }
        if let source = loaded[name] { return source }
        // `creds_FILE` may be a file in a folder that `LoadCredential=creds:FOLDER` names.
        let mayBeInFolder = loaded.keys.contains { name.hasPrefix($0 + "_") }
        return importsOthers || mayBeInFolder ? .other : nil
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
            let path = parts.count > 1 && key == "LoadCredential" ? expanded(parts[1]) : nil
            loaded[name] = path.flatMap { $0.hasPrefix("/") ? .file($0) : nil } ?? .other
        case "SetCredential", "SetCredentialEncrypted":
            if parts.isEmpty { written = [] }
            if let name { written.insert(name) }
        case "ImportCredential": importsOthers = !value.isEmpty
        default: break
        }
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
