/// What `refrain version`, the `User-Agent` and the statistics say.
enum Version {
    static let text = "0.1.0"
}

extension Command {
    static let version = Command("version", "show the version") { _, context in
        context.output.line("refrain \(Version.text)")
        return .done
    }
}
