import AppleMusic
import Cache
import Compose
import HTTP
import Text

// Answers built out of stored ones: performing what `Composer` decides.

extension ProxyLoop {
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

    /// The answer to a request, if it can be built by now and clients are given what is built;
    /// stored, and said to be made as `detail` says.
    func compose(for request: OriginRequest, _ detail: Reason? = nil) -> StoredResponse? {
        guard let key = request.key, let library = shared.library(for: request.facts),
            library.settings.compose != .verify,
            let wanted = request.catalogRequest ?? CatalogRequest(canonical: request.forwarded.canonical),
            case .answer(let composed) = compose(
                wanted, library, under: request.facts.rule, isBatched: detail == .batched)
        else { return nil }
        return store(composed, key, request.facts, detail)
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
        cache.store(composed: stored, from: parts)
        return stored
    }

    /// The request for what a composition lacks, on behalf of the client that asked for the whole;
    /// nil where it must not be stored.
    func originRequest(for supplement: Supplement, of forwarded: ForwardedRequest) -> OriginRequest? {
        var target = CanonicalTarget()
        guard (try? target.parse(supplement.target.span)) != nil else { return nil }
        let facts = PlanFacts(method: .get, route: target.route, rule: shared.policy[target.route.resourceClass])
        guard shared.library(for: facts) != nil else { return nil }
        return OriginRequest(
            facts: facts, reason: .partial, forwarded: ForwardedRequest(for: target, nextTo: forwarded),
            key: CacheKey(scope: .shared, target: target.bytes), stored: nil, mayUseOperatorsToken: false, user: nil,
            catalogRequest: CatalogRequest(target))
    }
}

// MARK: - Learning

extension ProxyLoop {
    /// Learns from an answer that the origin gave.
    /// - Parameter original: the body as the origin sent it, where another one is stored.
    func learn(from stored: StoredResponse, original: [UInt8]?, _ request: OriginRequest) {
        guard let library = shared.library(for: request.facts) else { return }
        switch library.note(stored, request.catalogRequest, original: original, at: context.unixSeconds) {
        case .nothingNew: break
        case .otherForm: noteContradiction("in another form than before", request)
        case .otherAttributes: noteContradiction("with other attributes than elsewhere", request)
        }
    }

    /// Compares what would have been composed with what the origin says, be it stored or not
    /// (`compose verify`).
    func verify(_ expected: ComposedBody, against said: ExchangeState.Comparison, _ request: OriginRequest) {
        statistics.count(.verified)
        guard said.status != 200 || !JSON.areEqual(expected.body, said.body) else { return }
        statistics.count(.mismatched)
        if let wanted = CatalogRequest(canonical: request.forwarded.canonical),
            case .fixed(let seconds, _) = request.facts.rule
        {
            shared.library.forms.switchOff(wanted.shape, until: context.unixSeconds + Int64(seconds))
        }
        noteContradiction("otherwise than it would have been composed", request)
    }
}

// MARK: - Walking

extension ProxyLoop {
    /// A page of a list is being answered: it may be a step of a client that walks through the
    /// list, and then the next step is likely to follow (DECISIONS 10.4). One page is fetched
    /// ahead, at the lowest priority.
    func noteStep(_ stored: StoredResponse, _ facts: PlanFacts, _ forwarded: @autoclosure () -> ForwardedRequest) {
        guard facts.route.isList, facts.method == .get, let library = shared.library(for: facts),
            library.settings.windows, stored.status == 200
        else { return }
        let known = walks.page(stored.key.hash, ObjectIdentifier(stored)) {
            // Pages that were cut, and those out of the file, have no map.
            guard let map = stored.outline as? ResourceDocument ?? DocumentScan(stored.body).document,
                let next = MappedDocument(body: stored.body, map: map).offset(in: map.envelope.next),
                let request = CatalogRequest(canonical: forwarded().canonical), let list = request.listNumber
            else { return nil }
            return PageWalks.Page(list: list, offset: request.offset ?? 0, next: next)
        }
        guard let page = known else { return }
        let isWalking = walks.isStep(page.list, offset: page.offset)
        walks.handOut(page.list, offset: page.next)
        guard isWalking else { return }
        let forwarded = forwarded()
        guard let request = CatalogRequest(canonical: forwarded.canonical) else { return }
        fetchAhead(request.target(limit: request.limit, offset: page.next), library, forwarded)
    }

    /// Asks for a page, or for a larger one that has it, unless it is there or can be built.
    private func fetchAhead(_ page: [UInt8], _ library: ResourceLibrary, _ forwarded: ForwardedRequest) {
        guard cache.lookup(CacheKey(scope: .shared, target: page), reader, at: context.unixSeconds) == nil,
            let request = CatalogRequest(canonical: page)
        else { return }
        var wanted = Supplement(target: page)
        switch compose(request, library, under: shared.policy[request.shape.type]) {
        case .answer: return
        case .partial(let larger): wanted = larger
        case .impossible: break
        }
        if let ahead = originRequest(for: wanted, of: forwarded) { fetchAhead(ahead) }
    }
}

extension Policy {
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    fileprivate var notFoundFor: Int {
        if case .fixed(let seconds, _) = notFound { seconds } else { 0 }
    }
}
