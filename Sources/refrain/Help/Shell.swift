/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The whole file.
    func completions(of commands: [Command]) -> String {
        switch self {
        case .bash: BashCompletion(commands: commands).text
        case .zsh: ZshCompletion(commands: commands).text
        case .fish: FishCompletion(commands: commands).text
        }
    }

    /// Path at which the shell looks for the completions, below `PREFIX/share`.
    var path: String {
        switch self {
        case .bash: "bash-completion/completions/refrain"
        case .zsh: "zsh/site-functions/_refrain"
        case .fish: "fish/vendor_completions.d/refrain.fish"
        }
    }
}
