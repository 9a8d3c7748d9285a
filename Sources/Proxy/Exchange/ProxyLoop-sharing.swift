import Cache
import Tier

// What leaders ask of the shared tier before they ask the origin, and what becomes of what they
// find there.

extension ProxyLoop {
    /// Whether another node may have the answer, and this client may have it from there: what
    /// everyone shares, for a request that takes a stored answer. Answers that the origin chooses
    /// by request fields stay where they were fetched.
    func mayAskTier(_ request: OriginRequest) -> Bool {
        guard tier != nil, let key = request.key, key.variant.isEmpty else { return false }
        return request.isCollapsible && request.expected == nil && mayBeGivenStored(request)
    }

    /// One leader's way through the tier; nil where there is none.
    func errand(for request: OriginRequest) -> TierErrand? {
        guard let tier, let key = request.key else { return nil }
        return TierErrand(key, tier) { [self] value in usable(value, for: request) }
    }

    /// What is fresh under this node's own rules, with the age that it has.
    private func usable(_ value: TierValue, for request: OriginRequest) -> StoredResponse? {
        let now = context.unixSeconds
        let response = value.response
        guard response.classTag == request.facts.route.resourceClass.rawValue,
            case .store(let lifetime) = AnswerStorage(request, nil, self).decision(asIfAnew: response),
            let taken = value.taken(under: lifetime, at: now), taken.isFresh(at: now)
        else { return nil }
        return taken
    }
}
