import AppleMusic
import Cache
import Compose
import Freshness
import Store

/// A request to the origin: the request, its reason, and the known facts about the answer.
///
/// A class, because it is handed on until it is answered, and never changes: copies of its members
/// cost a miss a thousand instructions.
final class OriginRequest {
    let facts: PlanFacts
    /// Why the cache alone was not enough.
    let reason: Reason
    /// The word under which it is counted.
    let purpose: UpstreamPurpose
    let forwarded: ForwardedRequest
    /// The key under which the answer is stored; nil where it belongs to one client alone.
    let key: CacheKey?
    /// The answer stored under the key: to be confirmed, or to stand in.
    let stored: StoredResponse?
    /// Whether the operator's user token may stand in for a missing one.
    let mayUseOperatorsToken: Bool
    /// The user whose token goes along; nil without one, or where nothing personal is kept.
    let user: UserHash?
    /// The catalog request, where the code that asks knows it.
    let catalogRequest: CatalogRequest?
    /// Whether that is one resource, which may come in a batch as well.
    let isForOneResource: Bool
    /// Why the answer could not be composed; nil where it was not tried, or could be.
    let refusal: Refusal?
    /// The request that would complete a composition of the answer.
    let supplement: Supplement?
    /// Whether it asks for more relationships and views than the client wants.
    let isSuperset: Bool
    /// The composed answer, to be compared with the origin's.
    let expected: ComposedBody?

    init(
        facts: PlanFacts, reason: Reason, forwarded: ForwardedRequest, key: CacheKey?, stored: StoredResponse?,
        mayUseOperatorsToken: Bool, user: UserHash?, catalogRequest: CatalogRequest?, refusal: Refusal? = nil,
        supplement: Supplement? = nil, isSuperset: Bool = false, expected: ComposedBody? = nil,
        purpose: UpstreamPurpose? = nil
    ) {
        (self.facts, self.reason, self.forwarded) = (facts, reason, forwarded)
        self.purpose = purpose ?? (key == nil ? facts.purposeOfPass : stored == nil ? .miss : .refresh)
        self.key = key?.compacted()
        (self.stored, self.mayUseOperatorsToken) = (stored, mayUseOperatorsToken)
        (self.user, self.catalogRequest) = (user, catalogRequest)
        isForOneResource = catalogRequest?.isForOneResource ?? false
        (self.refusal, self.supplement) = (refusal, supplement)
        (self.isSuperset, self.expected) = (isSuperset, expected)
    }

    /// The catalog request; nil where nothing of it is composed.
    var wanted: CatalogRequest? { catalogRequest ?? CatalogRequest(canonical: forwarded.target) }

    /// The key under which the answer of `origin` to a POST is stored, where that says that a GET
    /// would get the same.
    func ownContentKey(at origin: OriginTag) -> CacheKey? {
        guard key == nil, forwarded.method == .post, facts.scope == .shared else { return nil }
        return CacheKey(of: origin, scope: .shared, target: forwarded.target)
    }

    /// Whether its key, if it has one, is of the origin that is asked. A change of `upstream` may
    /// have come since: then nothing of the answer is stored, compared or learnt.
    func isKeyed(at origin: OriginTag) -> Bool { key.map { $0.origin == origin } ?? true }

    /// Whether others may wait for the answer: a plain GET for what everyone shares (FRAMING 5.1),
    /// and not one that wants a newer answer than one under way.
    var isCollapsible: Bool {
        guard let key, !key.isPersonal, forwarded.method == .get else { return false }
        return !facts.requestControl.noCache && reason != .requestMaxAge
    }

    /// Whether the client's `Authorization` goes along: where the proxy has no token of its own.
    func carriesClientAuthorization(hasOwnToken: Bool) -> Bool {
        !hasOwnToken && forwarded.clientAuthorization != nil
    }

    /// Whether no developer token goes along: neither the proxy nor the client has one.
    func sendsNoToken(hasOwnToken: Bool) -> Bool { !hasOwnToken && forwarded.clientAuthorization == nil }

    /// Whether the origin's errors are the same for everyone: none of the client's own fields goes
    /// along, and no token of a team that others may not be of.
    func hasImpersonalErrors(hasOwnToken: Bool) -> Bool {
        guard !carriesFields, let key, !key.isPersonal else { return false }
        return !carriesClientAuthorization(hasOwnToken: hasOwnToken)
    }

    /// Whether the client's own fields go along.
    var carriesFields: Bool { if case .fixed = facts.rule { false } else { true } }
}

extension CatalogRequest {
    /// Whether it is for one resource, with nothing that only a request for one may have: views are
    /// of single resources alone (APPLE-MUSIC-API 4.3.5).
    fileprivate var isForOneResource: Bool { shape.subject == .item && shape.views.isEmpty && hasPlainResources }
}
