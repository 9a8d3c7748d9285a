// `help`: the tables of commands and directives, for a terminal, as man pages, or as completions
// for shells.

extension Command {
    private static let man = CommandOption("man", "write the man page in roff (man -l shows it)")
    private static let completion = CommandOption("completion", "SHELL", "write the completions for bash, zsh or fish")
    private static let share = CommandOption(
        "share", "DIRECTORY", "write all man pages and completions below DIRECTORY, such as /usr/share")

    static let help = Command(
        "help", "show the commands, one command, or a directive of proxy.conf", positional: "[TOPIC]",
        options: [man, completion, share],
        details: ["TOPIC is a command, a directive of the configuration, or proxy.conf for all directives."],
        examples: [
            .init("refrain help purge", "lists the options of a command"),
            .init("refrain help ttl", "explains a directive"),
            .init("refrain help --man serve | man -l -", "shows a man page that is not installed"),
            .init("source <(refrain help --completion bash)", "completes commands and options in this shell"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let commands = context.commands
        let topic = try arguments.positional.first.map { name throws(CommandFailure) in
            try HelpTopic(named: name, in: commands)
        }
        guard arguments.chosen(of: [man, completion, share]) <= 1 else {
            throw .usage("help: --man, --completion and --share cannot be combined")
        }
        if let shell = try arguments.parsed(completion, Shell.init(choice:)) {
            context.output.standard(shell.completions(of: commands))
        } else if let directory = arguments.value(share) {
            try writeShared(below: directory, context)
        } else if arguments.has(man) {
            context.output.standard((topic?.manualPage ?? .overview(of: commands)).text)
        } else {
            context.output.standard(topic.map(HelpText.text) ?? HelpText.overview(of: commands))
        }
        return .done
    }

    private static func writeShared(below directory: String, _ context: CommandContext) throws(CommandFailure) {
        let pages = ManualPage.all(of: context.commands).map { ("man/man\($0.section)/\($0.fileName)", $0.text) }
        for (path, text) in pages + Shell.allCases.map({ ($0.path, $0.completions(of: context.commands)) }) {
            try attempt("cannot write \(directory)/\(path)") {
                try context.files.write(directory + "/" + path, Array(text.utf8))
            }
        }
    }
}

extension CommandArguments {
    fileprivate func chosen(of options: [CommandOption]) -> Int {
        options.count { has($0) || value($0) != nil }
    }
}
