import AppleMusic
import Cache
import Compose
import Tier

/// Leaders' use of the shared tier before they ask the origin, and of the answers that they
/// find there.
final class Sharing {
    /// Nil without a shared tier.
    let tier: TierClient?
    private let shared: SharedTier?
    private let accounts: Accounts
    private let composing: Composing
    private let composed: ComposedAnswers
    private let storing: StorageParts
    private let base: LoopBase

    init(
        _ shared: SharedTier?, _ tier: TierClient?, accounts: Accounts, composing: Composing,
        composed: ComposedAnswers, storing: StorageParts, base: LoopBase
    ) {
        (self.shared, self.tier) = (shared, tier)
        (self.accounts, self.composing, self.composed) = (accounts, composing, composed)
        (self.storing, self.base) = (storing, base)
    }

    /// Whether another node may have the answer, and this client may have it from there: what
    /// everyone shares, for a request that takes a stored answer. Answers that the origin chooses
    /// by request fields stay where they were fetched.
    func mayAskTier(_ request: OriginRequest) -> Bool {
        guard tier != nil, let key = request.key, key.variant.isEmpty else { return false }
        // A request with a `max-age` is not given an answer whose age is not known here yet.
        let control = request.facts.requestControl
        guard control.maxAge == nil, control.minFresh == nil else { return false }
        return request.isCollapsible && request.expected == nil && accounts.mayBeGivenStored(request)
    }

    /// One leader's look-up in the tier; nil without a tier, or a key that nodes share.
    func tierLookup(for request: OriginRequest, isForClient: Bool) -> TierLookup? {
        guard let tier, let key = request.key else { return nil }
        let judge = TierLookup.Judge(
            classTag: request.facts.route.resourceClass.rawValue,
            whole: { [self] in usable($0, for: request) },
            compose: { [self] in compose(for: request, with: $0, isForClient: isForClient) })
        return TierLookup(key, tier, hints: hints(for: request), judge)
    }

    /// The numbers under which other nodes may have put parts of the answer, and this one has not.
    private func hints(for request: OriginRequest) -> [UInt64] {
        guard let wanted = request.wanted, let library = composing.library(for: request.facts),
            library.settings.compose == .on
        else { return [] }
        return library.hints(for: wanted, base.reader, at: base.unixSeconds)
    }

    /// Keeps what other nodes fetched, and makes the answer of it if that can be done.
    private func compose(for request: OriginRequest, with values: [TierValue], isForClient: Bool) -> StoredResponse? {
        for value in values { keep(value, nextTo: request) }
        return composed.compose(for: request, isForClient: isForClient)
    }

    private func keep(_ value: TierValue, nextTo request: OriginRequest) {
        let (key, now) = (value.response.key, base.unixSeconds)
        guard base.peek(key)?.isFresh(at: now) != true,
            let own = composing.originRequest(for: Supplement(target: Array(key.target)), of: request.forwarded),
            let response = usable(value, for: own)
        else { return }
        guard AnswerStorage(own, nil, storing).keep(response) != nil else { return }
        composing.library.growth.adopt(Array(key.target))
    }

    /// The answer, if it is fresh under this node's own rules, with its age.
    private func usable(_ value: TierValue, for request: OriginRequest) -> StoredResponse? {
        let now = base.unixSeconds
        let (response, storage) = (value.response, AnswerStorage(request, nil, storing))
        guard response.classTag == request.facts.route.resourceClass.rawValue,
            storage.mayTakePlace(status: response.status),
            case .store(let lifetime) = storage.decision(asIfAnew: response),
            let born = tier?.born(value),
            let taken = value.taken(under: lifetime, bornUnder: born, at: now), taken.isFresh(at: now)
        else { return nil }
        return taken
    }

    /// The stored form of an answer that a look brought; nil where it was purged since the flight
    /// began.
    func adopt(_ finding: TierLookup.Finding, by storage: AnswerStorage) -> StoredResponse? {
        switch finding {
        case .composed(let stored):
            shared?.counters.count(.composed)
            return stored
        case .whole(let found):
            let stored = storage.keep(found)
            if stored != nil { base.statistics.count(.shared) }
            shared?.counters.count(stored != nil ? .taken : .purged)
            return stored
        }
    }
}
