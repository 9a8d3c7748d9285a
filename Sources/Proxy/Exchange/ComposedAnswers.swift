import AppleMusic
import Cache
import Compose
import Freshness

/// Composed answers on their way to clients: kept, counted, and verified.
final class ComposedAnswers {
    private let composing: Composing
    private let verifying: Verifying
    private let accounts: Accounts
    private let base: LoopBase

    init(_ composing: Composing, _ verifying: Verifying, _ accounts: Accounts, _ base: LoopBase) {
        (self.composing, self.verifying) = (composing, verifying)
        (self.accounts, self.base) = (accounts, base)
    }

    /// The answer served in place of the origin's.
    /// - Parameter isForClient: whether a client gets the answer.
    func find(
        _ substitute: ExchangeState.Substitute, for request: OriginRequest, isForClient: Bool = true
    ) -> StoredResponse? {
        switch substitute {
        case .arrived: accounts.freshInMemory(request, under: request.key)
        case .composition(let detail): compose(for: request, detail, isForClient: isForClient)
        case .standIn: accounts.standIn(for: request)
        }
    }

    /// The answer to a request, if it can be composed by now and clients get composed answers;
    /// stored, and said to be made as `detail` says.
    /// - Parameter isForClient: whether a client gets it; else another exchange goes on with it.
    func compose(for request: OriginRequest, _ detail: Reason? = nil, isForClient: Bool) -> StoredResponse? {
        guard let key = request.key, let library = composing.library(for: request.facts),
            library.settings.compose != .verify, accounts.mayBeGivenStored(request),
            let wanted = request.wanted,
            case .answer(let composed) = composing.compose(
                wanted, under: request.facts, isBatched: detail == .batched)
        else { return nil }
        if isForClient { composing.noteUse(of: composed, request.facts) }
        return store(composed, key, request.facts, wanted, replacing: base.peek(key), detail)
    }

    /// Keeps a composed answer, in memory alone, counts it, and verifies it where it is one of the
    /// sample.
    /// - Parameter replaced: what is stored under the key.
    func store(
        _ composed: ComposedBody, _ key: CacheKey, _ facts: PlanFacts, _ wanted: CatalogRequest?,
        replacing replaced: StoredResponse?, _ detail: Reason? = nil
    ) -> StoredResponse {
        let now = base.unixSeconds
        let parts = composed.parts.map(\.response)
        let stored = StoredResponse(
            composed: composed.body, key: key, parts: parts,
            detail: detail ?? composed.detail, receivedAt: now, born: base.cache.purges.newest,
            lifetime: composed.lifetime,
            classTag: facts.route.resourceClass.rawValue)
        composing.note(crossingsOf: composed, for: wanted)
        base.statistics.count(.built)
        base.statistics.count(because: detail ?? composed.detail)
        if let replaced { base.cache.removeReplaced(replaced, by: stored, from: parts) }
        // An answer that cannot be kept, because a part is being purged or replaced at this moment,
        // is still served.
        if base.cache.store(composed: stored, from: parts, whileContradictionsAre: composed.contradictions) {
            base.noteKept(stored)
        }
        verifying.sample(composed, wanted, stored.key, facts.rule, isBatched: detail == .batched)
        return stored
    }
}
