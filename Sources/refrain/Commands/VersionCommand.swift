extension Command {
    static let version = Command(
        "version", "show the version", examples: [.init("refrain version", "writes the name and the version")]
    ) { _, context in
        context.output.line("refrain \(ProgramVersion.text)")
        return .done
    }
}
