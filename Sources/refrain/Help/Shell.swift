/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The whole file.
    var completions: String {
        switch self {
        case .bash: BashCompletion.text
        case .zsh: ZshCompletion.text
        case .fish: FishCompletion.text
        }
    }

    /// Where the shell looks for it below `PREFIX/share`.
    var path: String {
        switch self {
        case .bash: "bash-completion/completions/refrain"
        case .zsh: "zsh/site-functions/_refrain"
        case .fish: "fish/vendor_completions.d/refrain.fish"
        }
    }
}
