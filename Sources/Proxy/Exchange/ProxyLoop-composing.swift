import AppleMusic
import Cache
import Compose
import Freshness
import HTTP

// Answers built out of stored ones: performing what `Composer` decides.

extension ProxyLoop {
    /// What can be built for a request of these facts: only what everyone shares, under an
    /// operator's TTL. A method of `shared` would have all of that copied, three thousand
    /// instructions of a miss.
    func library(for facts: PlanFacts) -> ResourceLibrary? {
        let library = shared.library
        return library.covers(facts.scope, facts.route, facts.rule) ? library : nil
    }

    /// What can be built for the request now.
    /// - Parameters:
    ///   - facts: of the request. A HEAD asks for no more than it wants.
    ///   - isBatched: whether it was fetched together with others: what stands in the batch is told
    ///     apart again, whatever else is composed.
    ///   - isPeeking: whether looking must leave no trace.
    func compose(
        _ request: CatalogRequest, _ library: ResourceLibrary, under facts: PlanFacts, isBatched: Bool = false,
        isPeeking: Bool = false
    ) -> CompositionOutcome {
        let now = context.unixSeconds
        let composer = composer(library, under: facts.rule, isBatched: isBatched, isForHead: facts.method == .head)
        guard library.mayHoldParts(of: request) else { return composer.composeNothing(request, at: now) }
        let sources = library.sources(reader, for: request, at: now, isPeeking: isPeeking)
        return composer.compose(request, sources, at: now)
    }

    func composer(
        _ library: ResourceLibrary, under rule: TTLRule, isBatched: Bool, isForHead: Bool = false
    ) -> Composer {
        var settings = library.settings
        if isBatched { settings.compose = .on }
        if isForHead { settings.supersets = false }
        return Composer(
            settings: settings, forms: library.forms, growth: library.growth, notFoundFor: shared.policy.notFoundFor,
            rule: rule)
    }

    /// The answer to a request, if it can be built by now and clients are given what is built;
    /// stored, and said to be made as `detail` says.
    /// - Parameter isForClient: whether a client gets it; else another exchange goes on with it.
    func compose(for request: OriginRequest, _ detail: Reason? = nil, isForClient: Bool) -> StoredResponse? {
        guard let key = request.key, let library = library(for: request.facts),
            library.settings.compose != .verify, mayBeGivenStored(request),
            let wanted = request.wanted,
            case .answer(let composed) = compose(
                wanted, library, under: request.facts, isBatched: detail == .batched)
        else { return nil }
        if isForClient { noteUse(of: composed, request.facts) }
        return store(composed, key, request.facts, wanted, detail)
    }

    /// Credits growth that a composed answer uses. A HEAD credits nothing.
    func noteUse(of composed: ComposedBody, _ facts: PlanFacts) {
        if facts.method == .get { shared.library.growth.note(use: composed.growth) }
    }

    /// Keeps a composed answer, in memory alone, counts it, and verifies it where it is one of the
    /// sample.
    func store(
        _ composed: ComposedBody, _ key: CacheKey, _ facts: PlanFacts, _ wanted: CatalogRequest?,
        _ detail: Reason? = nil
    ) -> StoredResponse {
        let now = context.unixSeconds
        let parts = composed.parts.map(\.response)
        let stored = StoredResponse(
            composed: composed.body, key: key, parts: parts, like: composed.example,
            detail: detail ?? composed.detail, receivedAt: now, lifetime: composed.lifetime,
            classTag: facts.route.resourceClass.rawValue)
        statistics.count(.built)
        statistics.count(because: detail ?? composed.detail)
        // What cannot be kept, a part being purged or replaced this very moment, is an answer all
        // the same.
        if cache.store(composed: stored, from: parts, whileContradictionsAre: composed.contradictions) {
            noteKept(stored)
        }
        sample(composed, wanted, stored.key, facts.rule, isBatched: detail == .batched)
        return stored
    }

    /// The request for what a composition lacks, on behalf of the client that asked for the whole;
    /// nil where it must not be stored.
    func originRequest(for supplement: Supplement, of forwarded: ForwardedRequest) -> OriginRequest? {
        originRequest(
            for: supplement.target, authorization: forwarded.clientAuthorization, isSuperset: supplement.isSuperset,
            via: forwarded.via)
    }

    /// A request for what everyone shares, with a client's token or without; nil where the answer
    /// must not be stored.
    func originRequest(
        for bytes: [UInt8], authorization: ClientAuthorization?, isSuperset: Bool = false, via: ViaChain = ViaChain()
    ) -> OriginRequest? {
        var target = CanonicalTarget()
        guard (try? target.parse(bytes.span)) != nil else { return nil }
        let facts = PlanFacts(method: .get, route: target.route, rule: shared.policy[target.route.resourceClass])
        guard library(for: facts) != nil else { return nil }
        return OriginRequest(
            facts: facts, reason: .partial,
            forwarded: ForwardedRequest(for: target, authorization: authorization, via: via),
            key: CacheKey(scope: .shared, target: target.bytes), stored: nil, mayUseOperatorsToken: false, user: nil,
            catalogRequest: CatalogRequest(target), isSuperset: isSuperset)
    }
}

// MARK: - Learning

extension ProxyLoop {
    /// Learns from an answer that the origin gave.
    /// - Parameter original: the body as the origin sent it, where another one is stored.
    func learn(from stored: StoredResponse, original: [UInt8]?, _ request: OriginRequest) {
        guard let library = library(for: request.facts) else { return }
        if stored.status == 404, let wanted = request.wanted {
            return library.note(notFound: stored, wanted, reader, at: context.unixSeconds)
        }
        switch library.note(stored, request.catalogRequest, original: original, at: context.unixSeconds) {
        case .nothingNew: break
        case .otherForm: noteContradiction("in another form than before", request)
        case .otherAttributes: noteContradiction("with other attributes than elsewhere", request)
        }
    }
}

extension Policy {
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    fileprivate var notFoundFor: Int {
        if case .fixed(let seconds, _) = notFound { seconds } else { 0 }
    }
}
