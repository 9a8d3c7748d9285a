import Text

/// An option of a command: `--name VALUE`, `--name=VALUE`, or a flag `--name`.
struct CommandOption: Sendable {
    /// Without the dashes.
    let name: String
    /// Name of its value in the help; nil: a flag.
    let value: String?
    let isRepeatable: Bool
    let summary: String

    /// A flag.
    init(_ name: String, _ summary: String) {
        self.init(name, nil, summary)
    }

    init(_ name: String, _ value: String?, isRepeatable: Bool = false, _ summary: String) {
        (self.name, self.value, self.isRepeatable, self.summary) = (name, value, isRepeatable, summary)
    }

    /// `--name VALUE`, as the help shows it.
    var spelling: String { "--" + name + (value.map { " " + $0 } ?? "") }

    /// The option's summary, and whether it may be repeated.
    var help: String { summary + (isRepeatable ? "; may be repeated" : "") }

    static let help = CommandOption("help", "show this help")
    static let config = CommandOption(
        "config", "FILE", "the configuration (./proxy.conf, then /etc/refrain/proxy.conf)")
    static let json = CommandOption("json", "write JSON")
    static let admin = CommandOption(
        "admin", "URL|unix:PATH", "the admin listener of the running proxy (admin_listen of the configuration)")
    static let adminTokenFile = CommandOption(
        "admin-token-file", "FILE",
        "file with the token for the admin listener (admin_token_file of the configuration)")
}
