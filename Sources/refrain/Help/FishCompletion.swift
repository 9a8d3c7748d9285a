struct FishCompletion {
    let commands: [Command]

    var text: String {
        """
        # fish completion for refrain; written by "refrain help --completion fish"

        function __refrain_command -d 'Whether the command line is one of this command'
            set -l words (commandline -opc)
            test (count $words) -gt 1; and test $words[2] = $argv[1]
        end

        function __refrain_no_command
            test (count (commandline -opc)) -eq 1
        end

        complete -c refrain -f
        \(commands.flatMap(lines).joined(separator: "\n"))

        """
    }

    private func lines(of command: Command) -> [String] {
        let condition = "complete -c refrain -n '__refrain_command \(command.name)'"
        var lines = ["complete -c refrain -n __refrain_no_command -a \(command.name) -d \(quoted(command.summary))"]
        for option in command.allOptions {
            let value = option.value.map { " " + offer(CompletedValue(named: $0, in: commands)) } ?? ""
            lines.append("\(condition) -l \(option.name)\(value) -d \(quoted(option.summary))")
        }
        if case .words(let words) = CompletedValue(named: command.positional, in: commands) {
            lines.append("\(condition) -a \(quoted(words.joined(separator: " ")))")
        }
        return lines
    }

    private func offer(_ value: CompletedValue) -> String {
        switch value {
        case .file: "-r -F"
        case .directory: "-x -a '(__fish_complete_directories)'"
        case .words(let words), .prefixes(let words): "-x -a " + quoted(words.joined(separator: " "))
        case .unknown: "-x"
        }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
