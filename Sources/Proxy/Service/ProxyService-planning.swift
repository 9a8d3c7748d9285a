import AppleMusic
import Cache
import Compose
import Freshness

// The plan for a request with what can be composed: the one decision of requests and of `explain`.

extension ProxyService {
    /// The plan, and the result of composing, where that was tried. For requests, and for operators
    /// who only want to know (`isPeeking`).
    /// - Parameters:
    ///   - stored: the stored answer, if it was looked up.
    ///   - isVariant: whether the answers to the target are told apart by request fields.
    func decide(
        _ facts: PlanFacts, _ stored: StoredResponse?, isVariant: Bool,
        asking request: @autoclosure () -> CatalogRequest?, at now: Int64, isPeeking: Bool = false
    ) -> (Plan, ComposingAttempt?) {
        let missing = stored == nil && isVariant ? Reason.absentVariant : .absent
        var plan = Plan.decide(facts, stored: stored, missing: missing, unixSeconds: now)
        guard plan.canBeComposed, let library = proxy.composing.library(for: facts) else { return (plan, nil) }
        if let stored, library.isOutdated(stored) {
            // It must not stand in for an answer later either.
            if !isPeeking { proxy.base.cache.remove(stored) }
            plan = Plan.decide(facts, stored: nil, missing: .superseded, unixSeconds: now)
        }
        guard let request = request() else {
            return (plan, ComposingAttempt(request: nil, refusal: Refusal(nothingHeldOf: nil)))
        }
        let outcome = proxy.composing.compose(request, under: facts, isPeeking: isPeeking)
        let wasKeptBack = proxy.composing.wasKeptBack
        if !isPeeking, !outcome.isAnswer, !wasKeptBack, facts.method == .get { library.note(miss: request, at: now) }
        return (
            plan.improved(by: outcome, verifying: library.settings.compose == .verify),
            ComposingAttempt(
                request: request, refusal: outcome.refusal, wasKeptBack: wasKeptBack, replaced: stored)
        )
    }
}
