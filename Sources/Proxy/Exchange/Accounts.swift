import Cache
import Compose
import EventLoop
import HTTP
import Purging
import Server
import Upstream

/// The parties that take turns on the way to the origin, and the tokens that clients bring: which
/// clients may get stored answers.
final class Accounts {
    private let clientKeys: ClientKeys?
    private let tokens: WorkingTokens
    private let library: ResourceLibrary
    private let base: LoopBase
    /// Whether the proxy's own token goes to the origin, and not the clients'.
    let signs: Bool
    /// Whether any client gets stored answers: those that the proxy asked for are the operator's.
    private let givesToAll: Bool
    /// Knowledge about the tokens that clients bring.
    private var boundTokens = BoundTokens()

    init(_ settings: ServiceSettings, _ shared: SharedStores, _ base: LoopBase) {
        (clientKeys, tokens, library) = (settings.clientKeys, shared.tokens, shared.library)
        self.base = base
        signs = settings.credentials.developer != nil
        givesToAll = signs || !settings.provesTokens
    }

    /// Whether the origin answers requests without a client's token, and such clients get stored
    /// answers.
    var needsNoClientToken: Bool { givesToAll || tokens.worksWithoutToken(at: base.now) }

    /// The party of a client's requests to the origin.
    func party(of connection: ClientConnection) -> UpstreamParty { connection.party }

    /// The user or application whose token a request carries, so that a 429 counts for that one
    /// first: 0 for requests of the proxy's own.
    func account(of request: OriginRequest, _ party: UpstreamParty) -> UInt64 {
        if request.hasImpersonalErrors(hasOwnToken: signs) { return 0 }
        let token = token(of: request)
        return token != ClientToken.none ? token : UInt64(bitPattern: Int64(party.hashValue)) | 1
    }

    /// The client's token that goes along, as a number.
    func token(of request: OriginRequest) -> UInt64 {
        signs ? ClientToken.none : ClientToken.number(of: request.forwarded.clientAuthorization)
    }

    /// The key by which requests are joined.
    func flightKey(_ key: CacheKey, _ request: OriginRequest) -> FlightKey {
        // No request joins a user's: the key has the user.
        let question = key.isPersonal ? 0 : request.forwarded.question(signs: signs)
        return FlightKey(key, question: question)
    }

    /// Whether nothing but the target of a request comes from the client, or no other joins it, as
    /// `flightKey` has it.
    func asksPlainly(_ key: CacheKey, _ facts: PlanFacts, _ head: RequestHead) -> Bool {
        key.isPersonal || signs && !facts.rule.followsOrigin && !head.fields.contains(.via)
    }

    /// The key of such a request.
    func plainFlightKey(_ key: CacheKey) -> FlightKey { FlightKey(key) }
}

// MARK: - Clients that may get stored answers

extension Accounts {
    /// Whether the client of a request may get answers stored under the operator's rule. Answers of
    /// classes that follow the origin's rules are stored only where the origin lets them be shared
    /// (RFC 9111 3.5).
    func mayBeGivenStored(_ request: OriginRequest) -> Bool {
        givesToAll || request.facts.rule.followsOrigin
            || tokens.works(token(of: request), at: base.now)
    }

    /// The same before anything is asked.
    func mayBeGivenStored(_ facts: PlanFacts, _ connection: ClientConnection) -> Bool {
        if givesToAll || facts.rule.followsOrigin { return true }
        let head = connection.head
        let isKey = connection.withHeadBytes { clientKeys?.claim(head, $0) ?? false }
        guard !isKey, head.fields.contains(.authorization) else {
            return tokens.worksWithoutToken(at: base.now)
        }
        let token = connection.withHeadBytes { ClientToken.number(of: head, $0, &boundTokens) }
        return tokens.works(token, at: base.now)
    }

    /// A stale answer that may be served under the key of a request when the origin fails: not to a
    /// client that asked to have it confirmed.
    func standIn(for request: OriginRequest) -> StoredResponse? {
        request.reason == .stale && mayBeGivenStored(request) ? storedStandIn(for: request) : nil
    }

    /// The same for any client, whatever this one accepts. While the origin was asked, a later
    /// answer may have contradicted it.
    func storedStandIn(for request: OriginRequest) -> StoredResponse? {
        guard let found = request.stored, let stored = base.lookup(found.key),
            stored.canStandIn(at: base.unixSeconds), !library.isOutdated(stored)
        else { return nil }
        return stored
    }

    /// The answer that another request brought meanwhile.
    /// - Parameter key: of its answer; nil where that is not stored.
    func freshInMemory(_ request: OriginRequest, under key: CacheKey?) -> StoredResponse? {
        let now = base.unixSeconds
        guard let key, let stored = base.cache.lookupInMemory(key, at: now), mayBeGivenStored(request) else {
            return nil
        }
        return stored.isFresh(at: now) ? stored : nil
    }

    /// Learns from an answer whether the client's token works. A path outside the API may be open
    /// to all, and proves nothing of a token.
    func noteToken(of request: OriginRequest, _ evidence: TokenEvidence) {
        guard !givesToAll, request.facts.route.resourceClass != .other || !request.facts.rule.followsOrigin else {
            return
        }
        tokens.note(token(of: request), evidence, at: base.now)
    }
}
