import Cache
import HTTP
import Server
import Upstream

// Whom a request is made for, and what tells them apart: parties, which take turns on the way to
// the origin, and the tokens that clients bring.

extension ProxyLoop {
    /// On whose behalf a client's request goes to the origin.
    func party(of connection: ClientConnection) -> UpstreamParty {
        if let client = connection.client { return .client(client.name) }
        return connection.peerNetwork.map { .network($0) } ?? .everyone
    }

    /// Of whose own a request carries something, so that a 429 to it is about that first: 0 for
    /// what the proxy asks as its own.
    func account(of request: OriginRequest, _ party: UpstreamParty) -> UInt64 {
        if request.hasImpersonalErrors(hasOwnToken: signs) { return 0 }
        let token = token(of: request)
        return token != ClientToken.none ? token : UInt64(bitPattern: Int64(party.hashValue)) | 1
    }

    /// The client's token that goes along, as a number.
    func token(of request: OriginRequest) -> UInt64 {
        signs ? ClientToken.none : ClientToken.number(of: request.forwarded.clientAuthorization)
    }

    func flightKey(_ key: CacheKey, _ request: OriginRequest) -> FlightKey {
        FlightKey(key, token: token(of: request))
    }
}

// MARK: - Who is given what is stored

extension ProxyLoop {
    /// Whether the client behind a request may be given what is stored under the operator's rule.
    /// What follows the origin's own rules is stored only where the origin lets it be shared (RFC
    /// 9111 3.5).
    func mayBeGivenStored(_ request: OriginRequest) -> Bool {
        givesToAll || request.facts.rule.followsOrigin
            || tokens.works(token(of: request), at: context.loop.now)
    }

    /// The same before anything is asked.
    func mayBeGivenStored(_ facts: PlanFacts, _ connection: ClientConnection) -> Bool {
        if givesToAll || facts.rule.followsOrigin { return true }
        let head = connection.head
        let isKey = connection.withHeadBytes { shared.clientKeys?.claim(head, $0) ?? false }
        guard !isKey, head.fields.contains(.authorization) else {
            return tokens.worksWithoutToken(at: context.loop.now)
        }
        let token = connection.withHeadBytes { ClientToken.number(of: head, $0, &boundTokens) }
        return tokens.works(token, at: context.loop.now)
    }

    /// Learns from an answer whether the client's token works. What is not of the API may be open
    /// to all, and proves nothing of a token.
    func noteToken(of request: OriginRequest, _ evidence: TokenEvidence) {
        guard !givesToAll, request.facts.route.resourceClass != .other || !request.facts.rule.followsOrigin else {
            return
        }
        tokens.note(token(of: request), evidence, at: context.loop.now)
    }
}
