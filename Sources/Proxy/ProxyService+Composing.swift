import AppleMusic
import Cache

// Answers built out of stored ones: performing what `Composer` decides.

extension ProxyService {
    /// What can be built for the request now.
    /// - Parameter isBatched: whether it was fetched together with others: what stands in the batch is told apart again,
    ///   whatever else is composed.
    func compose(
        _ request: CatalogRequest, _ library: ResourceLibrary, at now: Int64, isBatched: Bool = false
    ) -> CompositionOutcome {
        let material = Material(shared.cache, library.index, reader, at: now)
        var settings = library.settings
        if isBatched { settings.compose = .on }
        return Composer(settings: settings, forms: library.forms, notFoundFor: shared.policy.notFoundFor)
            .compose(request, material, at: now)
    }

    /// The answer that an inquiry is about, if it can be built by now and clients are given what is built; stored, and said
    /// to be made as `detail` says.
    func compose(for inquiry: Inquiry, _ detail: Reason?) -> StoredResponse? {
        guard let key = inquiry.key, let library = shared.library(for: inquiry.facts),
            library.settings.compose != .verify,
            let request = CatalogRequest(canonical: inquiry.request.canonical),
            case .answer(let composed) = compose(
                request, library, at: context.unixSeconds, isBatched: detail == .batched)
        else { return nil }
        return store(composed, key, inquiry.facts, detail)
    }

    /// Keeps a composed answer, in memory alone, and counts it.
    func store(
        _ composed: ComposedBody, _ key: CacheKey, _ facts: PlanFacts, _ detail: Reason? = nil
    ) -> StoredResponse {
        let now = context.unixSeconds
        let parts = composed.parts.map(\.response)
        let stored = StoredResponse(
            composed: composed.body, key: key, parts: parts, detail: detail ?? composed.detail,
            receivedAt: now, lifetime: composed.lifetime(at: now), classTag: facts.route.resourceClass.rawValue)
        statistics.count(.composed)
        statistics.count(because: detail ?? composed.detail)
        // What cannot be kept, a part being purged or replaced this very moment, is an answer all the same.
        shared.cache.store(composed: stored, from: parts)
        return stored
    }

    /// Learns from an answer that the origin gave, and holds what would have been composed against it.
    /// - Parameter original: the body as the origin sent it, where another one is stored.
    func learn(from stored: StoredResponse, original: [UInt8]?, _ inquiry: Inquiry) {
        guard let library = shared.library(for: inquiry.facts) else { return }
        let now = context.unixSeconds
        if !library.note(stored, original: original, reader, at: now) { reportContradiction(inquiry) }
        guard let expected = inquiry.expected else { return }
        statistics.count(.verified)
        guard stored.status != 200 || !JSON.areEqual(expected.body, stored.body) else { return }
        statistics.count(.mismatched)
        if let request = CatalogRequest(canonical: inquiry.request.canonical) {
            library.forms.switchOff(request.form, until: now + Int64(stored.freshFor))
        }
        reportContradiction(inquiry)
    }

    private func reportContradiction(_ inquiry: Inquiry) {
        statistics.count(.contradictions)
        failures.note(
            "answers \(inquiry.facts.route.template) in another form than before; nothing is composed in the old one",
            at: context.loop.now)
    }

    /// The request for what a composition lacks, on behalf of whoever asked for the whole; nil where it must not be stored.
    func inquiry(for supplement: Supplement, of request: ForwardedRequest) -> Inquiry? {
        var target = CanonicalTarget()
        guard (try? target.parse(supplement.target.span)) != nil else { return nil }
        let facts = PlanFacts(method: .get, route: target.route, rule: shared.policy[target.route.resourceClass])
        guard shared.library(for: facts) != nil else { return nil }
        return Inquiry(
            facts: facts, reason: .partial, request: request.asking(for: target),
            key: CacheKey(scope: .shared, target: target.bytes), stored: nil, mayUseOperatorsToken: false, user: nil)
    }
}

extension Policy {
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    var notFoundFor: Int {
        if case .fixed(let seconds, _) = notFound { seconds } else { 0 }
    }
}

extension CatalogRequest {
    init?(canonical: [UInt8]) {
        var target = CanonicalTarget()
        guard (try? target.parse(canonical.span)) != nil else { return nil }
        self.init(target)
    }
}
