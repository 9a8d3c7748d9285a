import AppleMusic
import Cache
import Compose
import Text

// Answers built out of stored ones: performing what `Composer` decides.

extension ProxyService {
    /// What can be built for the request now.
    /// - Parameters:
    ///   - rule: of the request's class.
    ///   - isBatched: whether it was fetched together with others: what stands in the batch is told
    ///     apart again, whatever else is composed.
    ///   - isPeeking: whether looking must leave no trace.
    func compose(
        _ request: CatalogRequest, _ library: ResourceLibrary, under rule: TTLRule, isBatched: Bool = false,
        isPeeking: Bool = false
    ) -> CompositionOutcome {
        guard library.mayHoldParts(of: request) else { return .impossible }
        let now = context.unixSeconds
        var settings = library.settings
        if isBatched { settings.compose = .on }
        let composer = Composer(
            settings: settings, forms: library.forms, notFoundFor: shared.policy.notFoundFor, rule: rule)
        return composer.compose(request, library.sources(reader, at: now, isPeeking: isPeeking), at: now)
    }

    /// The answer that was asked of the origin, if it can be built by now and clients are given
    /// what is built; stored, and said to be made as `detail` says.
    func compose(for originRequest: OriginRequest, _ detail: Reason?) -> StoredResponse? {
        guard let key = originRequest.key, let library = shared.library(for: originRequest.facts),
            library.settings.compose != .verify,
            let request = originRequest.catalogRequest ?? CatalogRequest(canonical: originRequest.request.canonical),
            case .answer(let composed) = compose(
                request, library, under: originRequest.facts.rule, isBatched: detail == .batched)
        else { return nil }
        return store(composed, key, originRequest.facts, detail)
    }

    /// Keeps a composed answer, in memory alone, and counts it.
    func store(
        _ composed: ComposedBody, _ key: CacheKey, _ facts: PlanFacts, _ detail: Reason? = nil
    ) -> StoredResponse {
        let now = context.unixSeconds
        let parts = composed.parts.map(\.response)
        let stored = StoredResponse(
            composed: composed.body, key: key, parts: parts, detail: detail ?? composed.detail,
            receivedAt: now, lifetime: composed.lifetime, classTag: facts.route.resourceClass.rawValue)
        statistics.count(.composed)
        statistics.count(because: detail ?? composed.detail)
        // What cannot be kept, a part being purged or replaced this very moment, is an answer all
        // the same.
        shared.cache.store(composed: stored, from: parts)
        return stored
    }

    /// Learns from an answer that the origin gave.
    /// - Parameter original: the body as the origin sent it, where another one is stored.
    func learn(from stored: StoredResponse, original: [UInt8]?, _ originRequest: OriginRequest) {
        guard let library = shared.library(for: originRequest.facts) else { return }
        switch library.note(stored, originRequest.catalogRequest, original: original, at: context.unixSeconds) {
        case .nothingNew: break
        case .otherForm: reportContradiction("in another form than before", originRequest)
        case .otherAttributes: reportContradiction("with other attributes than elsewhere", originRequest)
        }
    }

    /// Holds what would have been composed against what the origin says, be it stored or not
    /// (`compose verify`).
    func verify(_ expected: ComposedBody, against status: Int, _ body: [UInt8], _ originRequest: OriginRequest) {
        statistics.count(.verified)
        guard status != 200 || !JSON.areEqual(expected.body, body) else { return }
        statistics.count(.mismatched)
        if let request = CatalogRequest(canonical: originRequest.request.canonical),
            case .fixed(let seconds, _) = originRequest.facts.rule
        {
            shared.library.forms.switchOff(request.shape, until: context.unixSeconds + Int64(seconds))
        }
        reportContradiction("otherwise than it would have been composed", originRequest)
    }

    private func reportContradiction(_ how: String, _ originRequest: OriginRequest) {
        statistics.count(.contradictions)
        failures.note(
            "answers \(originRequest.facts.route.template) \(how); nothing is composed by what contradicts it",
            .contradiction, at: context.loop.now)
    }

    /// The request for what a composition lacks, on behalf of whoever asked for the whole; nil
    /// where it must not be stored.
    func originRequest(for supplement: Supplement, of request: ForwardedRequest) -> OriginRequest? {
        var target = CanonicalTarget()
        guard (try? target.parse(supplement.target.span)) != nil else { return nil }
        let facts = PlanFacts(method: .get, route: target.route, rule: shared.policy[target.route.resourceClass])
        guard shared.library(for: facts) != nil else { return nil }
        return OriginRequest(
            facts: facts, reason: .partial, request: ForwardedRequest(for: target, nextTo: request),
            key: CacheKey(scope: .shared, target: target.bytes), stored: nil, mayUseOperatorsToken: false, user: nil,
            catalogRequest: CatalogRequest(target))
    }
}

extension Policy {
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    var notFoundFor: Int {
        if case .fixed(let seconds, _) = notFound { seconds } else { 0 }
    }
}
