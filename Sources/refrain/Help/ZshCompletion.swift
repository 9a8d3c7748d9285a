struct ZshCompletion {
    let commands: [Command]

    var text: String {
        """
        #compdef refrain
        # zsh completion for refrain; written by "refrain help --completion zsh"

        _refrain() {
            local -a commands=(
        \(commands.map { "        " + quoted("\($0.name):\($0.summary)") }.joined(separator: "\n"))
            )
            if (( CURRENT == 2 )); then
                _describe -t commands command commands
                return
            fi
            shift words
            (( CURRENT-- ))
            case $words[1] in
        \(commands.map(arguments).joined(separator: "\n"))
            esac
        }

        if [[ $funcstack[1] == _refrain ]]; then
            _refrain "$@"
        else
            compdef _refrain refrain
        fi

        """
    }

    private func arguments(of command: Command) -> String {
        var specifications = command.allOptions.map { option in
            let value =
                option.value.map { ":\(escaped($0, ":")):\(action(CompletedValue(named: $0, in: commands)))" } ?? ""
            let mark = (option.isRepeatable ? "*" : "") + "--" + option.name + (option.value == nil ? "" : "=")
            return quoted("\(mark)[\(escaped(option.summary, "[]:"))]\(value)")
        }
        if !command.positional.isEmpty {
            let value = CompletedValue(named: command.positional, in: commands)
            specifications.append(quoted("1:\(command.positional):\(action(value))"))
        }
        let lines = specifications.map { "\\\n            " + $0 }.joined(separator: " ")
        return "    \(command.name)) _arguments \(lines) ;;"
    }

    /// A blank action offers nothing.
    private func action(_ value: CompletedValue) -> String {
        switch value {
        case .file: "_files"
        case .directory: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .prefixes(let words): "{compadd -S '' -- \(escaped(words.joined(separator: " "), ":"))}"
        case .unknown: " "
        }
    }

    private func escaped(_ text: String, _ characters: String) -> String {
        text.map { characters.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
