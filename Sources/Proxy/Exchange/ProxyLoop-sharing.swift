import AppleMusic
import Cache
import Compose
import Tier

// What leaders ask of the shared tier before they ask the origin, and what becomes of what they
// find there.

extension ProxyLoop {
    /// Whether another node may have the answer, and this client may have it from there: what
    /// everyone shares, for a request that takes a stored answer. Answers that the origin chooses
    /// by request fields stay where they were fetched.
    func mayAskTier(_ request: OriginRequest) -> Bool {
        guard tier != nil, let key = request.key, key.variant.isEmpty else { return false }
        // Who names an age is not given what has one that nobody here knows yet.
        let control = request.facts.requestControl
        guard control.maxAge == nil, control.minFresh == nil else { return false }
        return request.isCollapsible && request.expected == nil && mayBeGivenStored(request)
    }

    /// One leader's way through the tier; nil where there is none.
    func errand(for request: OriginRequest, isForClient: Bool) -> TierErrand? {
        guard let tier, let key = request.key else { return nil }
        let judge = TierErrand.Judge(
            classTag: request.facts.route.resourceClass.rawValue,
            whole: { [self] in usable($0, for: request) },
            compose: { [self] in compose(for: request, with: $0, isForClient: isForClient) })
        return TierErrand(key, tier, hints: hints(for: request), judge)
    }

    /// Under which numbers other nodes may have put what the answer can be made of, and this one
    /// has not.
    private func hints(for request: OriginRequest) -> [UInt64] {
        guard let wanted = request.wanted, let library = library(for: request.facts), library.settings.compose == .on
        else { return [] }
        return library.hints(for: wanted, reader, at: context.unixSeconds)
    }

    /// Keeps what other nodes fetched, and makes the answer of it if that can be done.
    private func compose(for request: OriginRequest, with values: [TierValue], isForClient: Bool) -> StoredResponse? {
        for value in values { keep(value, nextTo: request) }
        return compose(for: request, isForClient: isForClient)
    }

    private func keep(_ value: TierValue, nextTo request: OriginRequest) {
        let (key, now) = (value.response.key, context.unixSeconds)
        guard cache.peek(key, reader, at: now)?.isFresh(at: now) != true,
            let own = originRequest(for: Supplement(target: Array(key.target)), of: request.forwarded),
            let response = usable(value, for: own)
        else { return }
        // A purge may come between the last look at it and the cache.
        _ = AnswerStorage(own, nil, self).keep(response, unless: { [self] in tier?.isPurged(value) ?? true })
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

extension AnswerStorage {
    /// What is stored by now of what a look brought; nil where it was purged since the flight
    /// began.
    func adopt(_ finding: TierErrand.Finding) -> StoredResponse? {
        switch finding {
        case .composed(let stored):
            count(.composed)
            return stored
        case .whole(let found):
            let stored = keep(found)
            if stored != nil { statistics.count(.shared) }
            count(stored != nil ? .taken : .purged)
            return stored
        }
    }
}
