import Glibc

/// The program without its process: words in, exit code out.
enum CommandLineTool {
    /// `arguments` as main got them, the program's own name first.
    static func run(
        _ arguments: [String], output: Output = .console, files: FileAccess = .system
    ) -> Int32 {
        let report = StartReport { name in getenv(name).map { String(cString: $0) } }
        let context = CommandContext(output: output, files: files, commands: Command.table) { report?.end() }
        do throws(CommandFailure) {
            return try dispatch(Array(arguments.dropFirst()), context).rawValue
        } catch {
            for message in error.messages { output.problem(message, .error) }
            report?.send(error)
            return error.status.rawValue
        }
    }

    private static func dispatch(_ words: [String], _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
        guard let first = words.first else { throw .usage("no command given (see \"refrain help\")") }
        let aliases = ["--help": "help", "-h": "help", "--version": "version"]
        let command = try Command.named(aliases[first] ?? first)
        let arguments = try OptionParser.parse(Array(words.dropFirst()), for: command)
        guard !arguments.has(.help) else {
            context.output.standard(HelpText.text(of: try HelpTopic(named: command.name, in: Command.table)))
            return .done
        }
        do throws(CommandFailure) {
            return try command.run(arguments, context)
        } catch {
            throw error.naming(command)
        }
    }
}
