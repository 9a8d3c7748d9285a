import AppleMusic
import Cache
import Compose
import Freshness
import HTTP
import Upstream

// Effects of an answer on those that are stored already.

extension AnswerStorage {
    /// Freshens the stored answer with the fields of a 304 (RFC 9111 4.3.4): `stored`, or
    /// `contradicted`.
    func freshen(by response: UpstreamResponse) -> ExchangeState.Event {
        guard let stored = request.stored, let current = current(stored) else { return .contradicted }
        let isReplaced = current.receivedAt > stored.receivedAt
        switch stored.freshened(
            by: response.freshFields(isPersonal: stored.key.isPersonal), revalidation(response),
            arrival: storing.base.cache.numberArrival(), born: born)
        {
        case .stored where isReplaced:
            // Another 304 freshened it, or the same content came again.
            guard current.status == stored.status, current.body == stored.body,
                current.isFresh(at: storing.base.unixSeconds)
            else { return .contradicted }
            storing.base.statistics.count(.revalidated)
            return event(current, originStatus: 304)
        case .stored(let freshened):
            storing.base.statistics.count(.revalidated)
            _ = put(freshened, bornUnder: born)
            storing.library.noteNames(in: freshened, at: storing.base.unixSeconds)
            // The 304 makes this state newer than every other answer.
            return event(learn(from: freshened), originStatus: 304)
        case .unstorable where isReplaced: return .contradicted
        case .unstorable(let confirmed, _):
            storing.base.statistics.count(.revalidated)
            storing.base.cache.remove(stored.key)
            return event(confirmed, originStatus: 304)
        case .contradicted: return .contradicted
        }
    }

    /// Updates the answer stored for GET by that to a HEAD (RFC 9111 4.3.5).
    func updateByHead(_ response: UpstreamResponse) {
        // No purge up to this number has chosen the answer that is found below.
        let newest = storing.base.cache.purges.newest
        guard request.forwarded.method == .head, response.status == 200, let stored = request.stored,
            let current = current(stored), current.status == 200, current.receivedAt <= stored.receivedAt
        else { return }
        let updated = current.updated(
            byHead: response.freshFields(isPersonal: stored.key.isPersonal), contentLength: response.declaredLength,
            revalidation(response))
        _ = put(updated, bornUnder: newest)
    }

    /// The stored answer as it is now; nil where it was removed, which an update must not undo.
    private func current(_ stored: StoredResponse) -> StoredResponse? {
        isInvalid || isChosen(stored) ? nil : storing.base.lookup(stored.key)
    }

    /// Invalidates the target of a successful unsafe request, and the targets that its answer names
    /// (RFC 9111 4.4).
    func invalidate(by response: UpstreamResponse) {
        guard !request.forwarded.method.isSafe, (200..<400).contains(response.status) else { return }
        let base = request.forwarded.target
        invalidate(base)
        for field in [FieldName.location, .contentLocation] {
            guard let reference = response.fields.first(field) else { continue }
            let target = RelatedTarget.resolve(reference, against: base, authority: storing.settings.authority)
            if let target { invalidate(target) }
        }
    }

    /// Forgets the stored answers to a canonical target that everyone shares, and the flights for
    /// it.
    private func invalidate(_ target: [UInt8]) {
        storing.flights.invalidate(target, by: flight)
        storing.base.cache.remove(CacheKey(of: terms.origin, scope: .shared, target: target))
    }

    private func revalidation(_ response: UpstreamResponse) -> Revalidation {
        let policy = storing.settings.policy
        return Revalidation(
            request: requestFacts, rule: request.facts.rule, notFound: policy.notFound, badRequest: policy.badRequest,
            speed: policy.speed, within: longestKept(response.delay), now: timeOfArrival,
            responseDelay: response.delay, parent: response.facts.parent)
    }

    var requestFacts: RequestFacts {
        var result = RequestFacts()
        result.isGet = request.forwarded.method == .get
        result.isPersonal = request.facts.route.isPersonal
        result.requestCarriedAuthorization = request.carriesClientAuthorization(
            hasOwnToken: storing.accounts.signs)
        result.cacheControl = request.facts.requestControl
        return result
    }
}

// MARK: - Answers after a write

extension AnswerStorage {
    /// For how many seconds an answer may be served at most, because its user has written; nil: for
    /// as long as the rule says.
    /// - Parameter delay: seconds since the origin was asked.
    func longestKept(_ delay: Int) -> Int? {
        guard request.key?.isPersonal == true, let user = request.user else { return nil }
        return storing.users?.longestKept(of: user, after: .seconds(delay), at: storing.base.now)
    }
}

// MARK: - Answers that are not stored

extension AnswerStorage {
    /// Notes what follows from an answer that is not stored, and tells the operator where the
    /// origin keeps its answers from being stored.
    func noteUnstored(_ response: UpstreamResponse, _ reason: Reason, _ key: CacheKey) {
        if reason == .contradicted { return noteAbsence(key, isBelieved: false) }
        troubles.noteUncacheable(response, reason, request)
        guard !request.facts.rule.followsOrigin, reason != .outdated, let stored = request.stored,
            let meaning = ErrorMeaning(status: response.status)
        else { return }
        if meaning == .absence { remove(stored) } else { noteRefusedRefresh(of: stored, response.status, meaning) }
    }

    /// Removes an answer whose place an error takes that is not stored itself
    /// (`ttl not-found off`), unless it has been replaced since.
    private func remove(_ stored: StoredResponse) {
        guard let current = current(stored), current.receivedAt <= stored.receivedAt else { return }
        storing.base.cache.remove(stored.key)
        noteAbsence(stored.key)
    }

    /// Notes that a resource was said to be absent, in an answer that is not stored.
    private func noteAbsence(_ key: CacheKey, isBelieved: Bool = true) {
        guard storing.composing.library(for: request.facts) != nil, let wanted = request.wanted else { return }
        storing.library.note(notFound: key, at: timeOfArrival, wanted, isBelieved: isBelieved)
    }

    /// Notes a refused refresh of an answer that is served stale meanwhile; not that of a
    /// client's token, which says nothing of the answer.
    private func noteRefusedRefresh(of stored: StoredResponse, _ status: Int, _ meaning: ErrorMeaning) {
        guard status < 500, request.reason != .unprovenToken,
            case .stale = Freshness.of(stored, at: storing.base.unixSeconds)
        else { return }
        troubles.noteRefusedRefresh(status, meaning, request)
    }
}
