import Cache
import Freshness
import HTTP
import Server

// Requests that come again, byte for byte, and were plain hits: only whether the answer is still
// there and fresh is looked up.

extension ProxyLoop {
    /// Notes that a request was answered with what is stored under `key`. Not for pages of lists,
    /// after which something may have to be fetched, nor where other fields than the target say
    /// which answer it is.
    func remember(_ key: CacheKey, _ facts: PlanFacts, _ connection: ClientConnection) {
        guard let repeated = connection.repeated, facts.scope == .shared, !facts.rule.followsOrigin,
            !facts.route.isList
        else { return }
        repeated.madeConclusion.hit = PlainHit(key, facts.logTemplate)
    }

    /// Answers a request that was a plain hit before, if it still is one.
    func answerAsBefore(_ connection: ClientConnection) -> Bool {
        guard let known = connection.repeated?.knownConclusion, let hit = known.hit else { return false }
        // It shows no token: those that do are not remembered.
        guard givesToAll || tokens.worksWithoutToken(at: context.loop.now) else { return false }
        let now = context.unixSeconds
        guard let stored = cache.lookup(hit.key, reader, at: now),
            case .fresh(let ttl) = Freshness.of(stored, at: now)
        else {
            // Until it is one again, nothing is looked up twice.
            known.hit = nil
            return false
        }
        statistics.count(.hits)
        serve(
            stored, .hit(ttl: ttl, detail: stored.composition?.detail), template: hit.template, known: known,
            to: connection)
        return true
    }
}
