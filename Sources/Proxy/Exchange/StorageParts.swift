import Cache
import Compose

/// The parts of a loop that `AnswerStorage` uses to store answers.
final class StorageParts {
    let settings: ServiceSettings
    let flights: Flights
    let users: UserScopes?
    let troubles: OriginTroubles
    let base: LoopBase
    let composing: Composing
    let accounts: Accounts

    init(
        _ settings: ServiceSettings, _ shared: SharedStores, composing: Composing, accounts: Accounts, base: LoopBase
    ) {
        (self.settings, flights, users) = (settings, shared.flights, shared.users)
        troubles = OriginTroubles(settings, shared, base)
        (self.base, self.composing, self.accounts) = (base, composing, accounts)
    }

    var library: ResourceLibrary { composing.library }
}
