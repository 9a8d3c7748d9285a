import AppleMusic
import Cache
import Compose
import Upstream

/// Where answers of the origin and of other nodes are put, and by which rules.
final class Storing {
    let base: LoopBase
    let composing: Composing
    let accounts: Accounts
    let troubles: OriginTroubles
    let flights: Flights
    let policy: Policy
    let authority: [UInt8]

    init(
        _ shared: ProxyShared, _ composing: Composing, _ accounts: Accounts, _ troubles: OriginTroubles,
        _ base: LoopBase
    ) {
        (self.base, self.composing) = (base, composing)
        (self.accounts, self.troubles) = (accounts, troubles)
        flights = shared.flights
        policy = shared.policy
        authority = shared.authority
    }

    var library: ResourceLibrary { composing.library }

    /// Forgets what is stored for a canonical target that everyone shares, and what is being
    /// fetched for it.
    /// - Parameter flight: of the request that changed the target.
    func invalidate(_ target: [UInt8], by flight: Flights.FlightID?) {
        flights.invalidate(target, by: flight)
        base.cache.remove(CacheKey(scope: .shared, target: target))
    }
}
