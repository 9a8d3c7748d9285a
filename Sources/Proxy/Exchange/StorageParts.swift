import Compose

/// The parts of a loop that `AnswerStorage` uses to store answers.
final class StorageParts {
    let shared: ProxyShared
    let base: LoopBase
    let composing: Composing
    let accounts: Accounts

    init(_ shared: ProxyShared, _ composing: Composing, _ accounts: Accounts, _ base: LoopBase) {
        (self.shared, self.base, self.composing, self.accounts) = (shared, base, composing, accounts)
    }

    var library: ResourceLibrary { shared.library }
}
