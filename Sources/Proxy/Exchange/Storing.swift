import Compose

/// Where answers of the origin and of other nodes are put, and by which rules.
final class Storing {
    let shared: ProxyShared
    let base: LoopBase
    let composing: Composing
    let accounts: Accounts
    let troubles: OriginTroubles

    init(
        _ shared: ProxyShared, _ composing: Composing, _ accounts: Accounts, _ troubles: OriginTroubles,
        _ base: LoopBase
    ) {
        (self.shared, self.base, self.composing) = (shared, base, composing)
        (self.accounts, self.troubles) = (accounts, troubles)
    }

    var library: ResourceLibrary { shared.library }
}
