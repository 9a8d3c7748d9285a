/// Written for bash 4 and later; it uses nothing of the bash-completion package but its directory.
struct BashCompletion {
    let commands: [Command]

    var text: String {
        """
        # bash completion for refrain; written by "refrain help --completion bash"

        _refrain() {
            local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
            # Bash takes "=" and ":" for words of their own.
            if [[ $current == = ]]; then
                current=
            elif [[ $current == : || $option == : ]]; then
                option=:
            elif [[ $option == = ]]; then
                option=${COMP_WORDS[COMP_CWORD-2]}
            fi
            local words= kind=words
            COMPREPLY=()
            if (( COMP_CWORD == 1 )); then
                words='\(commands.map(\.name).joined(separator: " ")) --help --version'
            else
                case "${COMP_WORDS[1]} $option" in
                *" :") kind=none ;;
        \(commands.flatMap(values).joined(separator: "\n"))
                *)
                    case "${COMP_WORDS[1]}" in
        \(commands.map(options).joined(separator: "\n"))
                    esac ;;
                esac
            fi
            case $kind in
            file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
            directory) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
            prefixes) compopt -o nospace 2>/dev/null; mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
            words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
            esac
        }
        complete -F _refrain refrain

        """
    }

    private func values(of command: Command) -> [String] {
        command.options.compactMap { option in
            option.value.map { name in
                "        '\(command.name) --\(option.name)') \(offer(CompletedValue(named: name, in: commands))) ;;"
            }
        }
    }

    private func offer(_ value: CompletedValue) -> String {
        switch value {
        case .file: "kind=file"
        case .directory: "kind=directory"
        case .words(let words): "words='\(words.joined(separator: " "))'"
        case .prefixes(let words): "kind=prefixes words='\(words.joined(separator: " "))'"
        case .unknown: "kind=none"
        }
    }

    private func options(of command: Command) -> String {
        var words = command.allOptions.map { "--" + $0.name }
        if case .words(let names) = CompletedValue(named: command.positional, in: commands) { words += names }
        return "            \(command.name)) words='\(words.joined(separator: " "))' ;;"
    }
}
