import AppleMusic
import Cache
import Compose
import Freshness
import HTTP
import Store
import Upstream

/// Answers built out of stored ones: performs what `Composer` decides.
final class Composing {
    let library: ResourceLibrary
    private let policy: Policy
    private let origin: OriginTag
    private let troubles: OriginTroubles
    private let base: LoopBase
    /// The room of the composition that is tried now.
    private let reading = SourceReading()
    private var turns = ReadingTurns<UpstreamParty, () -> Void>()
    private var isTurnAwaited = false

    init(_ settings: ServiceSettings, _ shared: SharedStores, _ base: LoopBase) {
        (library, policy, origin) = (shared.library, settings.policy, settings.origin.tag)
        (troubles, self.base) = (OriginTroubles(settings, shared, base), base)
    }

    /// The library for a request of these facts: only for answers that everyone shares, under an
    /// operator's TTL.
    func library(for facts: PlanFacts) -> ResourceLibrary? {
        library.covers(facts.scope, facts.route, facts.rule) ? library : nil
    }

    /// The answer that can be built for the request now.
    /// - Parameters:
    ///   - facts: of the request. A HEAD asks for no more than it wants.
    ///   - isBatched: whether a batch has fetched it: its answer is cut out of the batch's, also
    ///     with `compose off`.
    ///   - isPeeking: whether looking must leave no trace.
    func compose(
        _ request: CatalogRequest, under facts: PlanFacts, isBatched: Bool = false, isPeeking: Bool = false
    ) -> CompositionOutcome {
        let now = base.unixSeconds
        let composer = composer(under: facts.rule, isBatched: isBatched, isForHead: facts.method == .head)
        // For an operator who asks, nothing is kept back.
        reading.begin(room: turns.isUsedUp && !isPeeking ? 0 : SourceReading.most)
        guard library.mayHoldParts(of: request) else { return composer.composeNothing(request, at: now) }
        let sources = library.sources(base.reader, for: request, at: now, isPeeking: isPeeking, reading: reading)
        let outcome = composer.compose(request, sources, at: now)
        if reading.bytes > 0 {
            turns.read(reading.bytes)
            awaitTurn()
        }
        return outcome
    }

    /// Whether the last composition was given no room, and may succeed in another turn.
    var wasKeptBack: Bool { reading.isShort && reading.room == 0 }

    /// Has a request go on in a later turn of the loop; false where too many wait.
    func postpone(of party: UpstreamParty, _ resume: @escaping () -> Void) -> Bool {
        guard turns.add(resume, of: party) else { return false }
        awaitTurn()
        return true
    }

    /// Between two turns the loop asks the kernel, and handles what other clients have sent.
    private func awaitTurn() {
        guard !isTurnAwaited else { return }
        isTurnAwaited = true
        base.loop.schedule(at: base.loop.now) { [self] in
            isTurnAwaited = false
            turns.begin()
            while let resume = turns.next() { resume() }
            if !turns.isIdle { awaitTurn() }
        }
    }

    func composer(under rule: TTLRule, isBatched: Bool, isForHead: Bool = false) -> Composer {
        var settings = library.settings
        if isBatched { settings.compose = .on }
        if isForHead { settings.supersets = false }
        return Composer(
            settings: settings, library: library, notFoundFor: policy.notFoundFor, rule: rule)
    }

    /// Counts the resources of a served answer that are shown in other placements than they are
    /// held in.
    func note(crossingsOf composed: ComposedBody, for wanted: CatalogRequest?) {
        guard let wanted, !composed.crossings.isEmpty else { return }
        library.forms.note(uses: composed.crossings, in: wanted.storefront, at: base.unixSeconds)
    }

    /// Credits a larger request that a composed answer uses. A HEAD credits nothing.
    func noteUse(of composed: ComposedBody, _ facts: PlanFacts) {
        if facts.method == .get { library.growth.note(use: composed.growth) }
    }

    /// Counts a larger request that is being sent.
    func begin(_ growth: Growth) { library.begin(growth, at: base.unixSeconds) }

    /// Learns that the answer to a composition's missing parts, or to a larger request, was too
    /// large to be kept: the next one is asked for less.
    func note(tooLarge part: OriginRequest) {
        guard let wanted = part.catalogRequest else { return }
        library.sizes.note(tooLarge: wanted.shape, count: wanted.limit ?? wanted.resources.count)
    }

    /// Learns that the origin refuses a larger request.
    func note(refused part: OriginRequest) {
        guard part.isSuperset, let wanted = part.catalogRequest else { return }
        library.note(refused: wanted, at: base.unixSeconds)
    }

    /// The request for a composition's missing parts, on behalf of the client that asked for the
    /// whole; nil where it must not be stored.
    func originRequest(
        for supplement: Supplement, _ purpose: UpstreamPurpose = .supplement, of forwarded: ForwardedRequest
    ) -> OriginRequest? {
        originRequest(
            for: supplement.target, supplement.growth == nil ? purpose : .larger,
            authorization: forwarded.clientAuthorization, isSuperset: supplement.isSuperset, via: forwarded.via)
    }

    /// A request for what everyone shares, with a client's token or without; nil where the answer
    /// must not be stored.
    func originRequest(
        for bytes: [UInt8], _ purpose: UpstreamPurpose, authorization: ClientAuthorization?, isSuperset: Bool = false,
        via: ViaChain = ViaChain()
    ) -> OriginRequest? {
        var target = CanonicalTarget()
        guard (try? target.parse(bytes.span)) != nil else { return nil }
        let facts = PlanFacts(method: .get, route: target.route, rule: policy[target.route.resourceClass])
        guard library(for: facts) != nil else { return nil }
        return OriginRequest(
            facts: facts, reason: .partial,
            forwarded: ForwardedRequest(for: target, authorization: authorization, via: via),
            key: CacheKey(of: origin, scope: .shared, target: target.bytes), stored: nil,
            mayUseOperatorsToken: false, user: nil,
            catalogRequest: CatalogRequest(target), isSuperset: isSuperset, purpose: purpose)
    }
}

// MARK: - Learning

extension Composing {
    /// Learns from an answer that the origin gave.
    /// - Parameters:
    ///   - original: the body as the origin sent it, where another one is stored.
    ///   - asked: the number of the latest answer when the origin was asked.
    func learn(from stored: StoredResponse, original: [UInt8]?, _ request: OriginRequest, asked: Int64) {
        guard let library = library(for: request.facts) else { return }
        if ErrorMeaning(status: stored.status) == .absence, let wanted = request.wanted {
            return library.note(notFound: stored.key, at: stored.receivedAt, wanted)
        }
        // It is not known which composed answers rely on what was wrong, so all of them go.
        switch library.note(
            stored, request.catalogRequest, original: original, asked: asked, base.reader, at: base.unixSeconds)
        {
        case .nothingNew: break
        case .otherForm: troubles.noteContradiction("in another form than before", request)
        case .otherThanConcluded:
            base.cache.freeComposed()
            troubles.noteContradiction("in another form than was concluded", request)
        case .otherAttributes:
            base.cache.freeComposed()
            troubles.noteContradiction("with other attributes than in other answers", request)
        }
    }
}

extension Policy {
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    fileprivate var notFoundFor: Int {
        if case .fixed(let seconds, _) = notFound { seconds } else { 0 }
    }
}
