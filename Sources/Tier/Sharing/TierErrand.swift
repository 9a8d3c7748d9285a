import Cache
import EventLoop

/// What one leader has to do in the tier: it looks before it asks the origin, and leaves there what
/// the origin brought. Performs `TierLook`.
///
/// Confined to its loop. A reply or a pause that it waits for keeps it alive.
package final class TierErrand {
    private let client: TierClient
    private let key: CacheKey
    private let pair: TierKeys.Pair
    private let judge: (TierValue) -> StoredResponse?
    private var completion: ((StoredResponse?) -> Void)?
    private var look = TierLook()
    private var found: StoredResponse?
    private var hasWaited = false
    /// Of the fetch; nil before it, and where no purge log is known: what is fetched then stays
    /// this node's own.
    private var fence: LogMark?

    /// Nil where the key is one user's.
    /// - Parameter judge: what this node may use of a value that no purge has chosen; nil for
    ///   nothing.
    package init?(_ key: CacheKey, _ client: TierClient, judge: @escaping (TierValue) -> StoredResponse?) {
        guard let pair = client.tier.keys.pair(of: key) else { return nil }
        (self.client, self.key, self.pair, self.judge) = (client, key, pair, judge)
    }

    /// - Parameter completion: is called exactly once, on the loop: with an answer that another
    ///   node fetched, or with nil, and then the origin is to be asked and `ended` to be called.
    package func start(_ completion: @escaping (StoredResponse?) -> Void) {
        self.completion = completion
        client.tier.counters.count(.looks)
        perform(look.start(now: client.loop.now))
    }

    /// The fetch has ended: with an answer that this node keeps, or with nil for none that others
    /// may use. `now` in unix seconds. Without a fetch this does nothing.
    package func ended(with response: StoredResponse?, at now: Int64) {
        if let response, let fence, response.key == key, response.isPortable { put(response, fence, now) }
        fence = nil
        perform(look.fetchEnded(now: client.loop.now))
    }

    private func put(_ response: StoredResponse, _ fence: LogMark, _ now: Int64) {
        let value = TierValue(response, fence: fence)
        // What is too large, or of no use by the time that it is read, stays here.
        guard let milliseconds = try? value.millisecondsToLive(at: now), let bytes = try? value.encoded() else {
            return
        }
        client.put(bytes, at: pair, milliseconds: milliseconds)
    }

    private func perform(_ actions: [TierLook.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: TierLook.Action) {
        switch action {
        case .ask: client.ask(pair) { [self] in answered($0) }
        case .wake(let moment): wait(until: moment)
        case .take:
            client.tier.counters.count(.taken)
            complete(found)
        case .fetch:
            fence = client.tier.knowledge.fence
            complete(nil)
        case .giveBack: client.giveBack(pair)
        }
    }

    private func wait(until moment: Instant) {
        if !hasWaited { client.tier.counters.count(.waited) }
        hasWaited = true
        client.loop.schedule(at: moment) { [self] in perform(look.woken(now: client.loop.now)) }
    }

    private func answered(_ reply: TierClient.Found?) {
        guard let reply else {
            client.tier.counters.count(.unanswered)
            return perform(look.failed())
        }
        found = reply.value.flatMap { usable($0) }
        perform(look.answered(isFound: found != nil, gotClaim: reply.gotClaim, now: client.loop.now))
    }

    private func complete(_ response: StoredResponse?) {
        let completion = completion
        self.completion = nil
        completion?(response)
    }

    /// The answer in the bytes under the key, where this node may use it.
    private func usable(_ bytes: [UInt8]) -> StoredResponse? {
        switch TierValue.read(bytes, for: key) {
        case .value(let value):
            guard client.tier.knowledge.fate(of: value) == .untouched else { return refuse(.purged) }
            return judge(value) ?? refuse(.useless)
        case .unreadable, .tooNew: return refuse(.useless)
        case .mismatch:
            client.distrust()
            return refuse(.mismatched)
        case .damaged:
            client.distrust()
            return refuse(.damaged)
        }
    }

    private func refuse(_ reason: TierCounters.Name) -> StoredResponse? {
        client.tier.counters.count(reason)
        return nil
    }
}
