import Cache
import EventLoop

/// A leader's look-up in the tier before it asks the origin, and the answer that it leaves there
/// afterwards. Performs `TierLook`.
///
/// Confined to its loop. A reply or a pause that it waits for keeps it alive.
package final class TierLookup {
    /// The node's use of answers that others have fetched.
    package struct Judge {
        /// The usable part of a value that no purge has chosen; nil for none.
        let whole: (TierValue) -> StoredResponse?
        /// The answer, if it can be made of these, which no purge has chosen.
        let compose: ([TierValue]) -> StoredResponse?
        /// Class of the request.
        let classTag: UInt8

        package init(
            classTag: UInt8, whole: @escaping (TierValue) -> StoredResponse?,
            compose: @escaping ([TierValue]) -> StoredResponse?
        ) {
            (self.classTag, self.whole, self.compose) = (classTag, whole, compose)
        }
    }

    /// Result of a look.
    package enum Finding {
        /// Another node's answer, as it is to be stored here.
        case whole(StoredResponse)
        /// An answer that was made of other nodes' answers, and is stored already.
        case composed(StoredResponse)
    }

    private let client: TierClient
    private let key: CacheKey
    private let pair: TierKeys.Pair
    private let hints: [UInt64]
    private let judge: Judge
    private var completion: ((Finding?) -> Void)?
    private var look = TierLook()
    private var found: Finding?
    /// The names of values that hold the answer, and are still to be fetched.
    private var hinted: ArraySlice<[UInt8]> = []
    private var parts: [TierValue] = []
    /// Bytes of parts so far.
    private var partBytes = 0
    private var hasWaited = false
    /// The log mark of the fetch; nil before it, and where no purge log is known: then the answer
    /// stays this node's own.
    private var logMark: LogMark?

    /// The most values that are read for one answer, and the bytes after which no more are read:
    /// the size of the largest answer.
    private static let (mostParts, mostPartBytes) = (16, TierValue.maxBytes)
    /// Values fetched at once: other commands on the connection wait for them.
    static let partsAtOnce = 4

    /// Nil where the key is one user's.
    /// - Parameter hints: the numbers under which other nodes may have put parts of the answer.
    package init?(_ key: CacheKey, _ client: TierClient, hints: [UInt64] = [], _ judge: Judge) {
        guard let pair = client.tier.keys.pair(of: key) else { return nil }
        (self.client, self.key, self.pair, self.hints, self.judge) = (client, key, pair, hints, judge)
    }

    /// - Parameter completion: is called exactly once, on the loop: with the finding, or with nil:
    ///   then the origin is to be asked and `ended` to be called.
    package func start(_ completion: @escaping (Finding?) -> Void) {
        self.completion = completion
        client.tier.counters.count(.looks)
        perform(look.start(now: client.loop.now))
    }

    /// The fetch has ended: with an answer that this node keeps, or with nil for none that others
    /// may use. `now` in unix seconds. Without a fetch this does nothing.
    /// - Parameter hints: the numbers under which other nodes may look for parts of it.
    package func ended(
        with response: StoredResponse?, at now: Int64, hints: (StoredResponse) -> [UInt64] = { _ in [] }
    ) {
        if let response, let logMark, response.key == key, response.isPortable {
            put(response, logMark, now, hints(response))
        }
        logMark = nil
        perform(look.fetchEnded(now: client.loop.now))
    }

    private func put(_ response: StoredResponse, _ logMark: LogMark, _ now: Int64, _ hints: [UInt64]) {
        let value = TierValue(response, logMark: logMark)
        // An answer that is too large, or of no use by the time that it is read, stays here.
        guard let milliseconds = value.millisecondsToLive(at: now), let bytes = value.encoded() else { return }
        let hints = bytes.count <= TierValue.maxHintedBytes ? hints : []
        client.put(bytes, at: pair, hints: hints, milliseconds: milliseconds)
    }

    private func perform(_ actions: [TierLook.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: TierLook.Action) {
        switch action {
        // Parts are looked for once: later rounds wait for the whole.
        case .ask: client.ask(pair, hints: hasWaited ? [] : hints) { [self] in answered($0) }
        case .gather: gather()
        case .wake(let moment): wait(until: moment)
        case .take: complete(found)
        case .fetch:
            logMark = client.tier.knowledge.logMark
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
        found = reply.value.flatMap { whole($0) }
        hinted = reply.hinted.prefix(Self.mostParts)
        let now = client.loop.now
        perform(
            look.answered(isFound: found != nil, claim: reply.claim, hasHints: !hinted.isEmpty, now: now))
    }

    private func gather() {
        let names = hinted.prefix(Self.partsAtOnce)
        hinted = hinted.dropFirst(names.count)
        client.get(Array(names)) { [self] in gathered($0, under: names) }
    }

    private func gathered(_ replies: [[UInt8]?]?, under names: ArraySlice<[UInt8]>) {
        guard let replies else {
            client.tier.counters.count(.unanswered)
            return perform(look.failed())
        }
        for (name, bytes) in zip(names, replies) {
            guard let bytes else { continue }
            partBytes += bytes.count
            if let part = part(bytes, named: name) { parts.append(part) }
        }
        guard hinted.isEmpty || partBytes >= Self.mostPartBytes else { return gather() }
        found = parts.isEmpty ? nil : judge.compose(parts).map { .composed($0) }
        parts = []
        perform(look.gathered(isComposed: found != nil, now: client.loop.now))
    }

    private func complete(_ finding: Finding?) {
        let completion = completion
        self.completion = nil
        completion?(finding)
    }

    /// The answer in the bytes under the key, where this node may use it.
    private func whole(_ bytes: [UInt8]) -> Finding? {
        guard let value = untouched(TierValue.read(bytes, for: key, from: client.tier.site)) else { return nil }
        return judge.whole(value).map { .whole($0) } ?? refuse(.useless)
    }

    private func part(_ bytes: [UInt8], named name: [UInt8]) -> TierValue? {
        let reading = TierValue.read(bytes, named: name, client.tier.keys, at: key.origin, from: client.tier.site)
        guard let value = untouched(reading) else { return nil }
        // An answer that was purged by its target is not made of any older one.
        let isPurged = client.tier.knowledge.isPurged(
            Array(key.target), storefront: value.response.storefront, classTag: judge.classTag, since: value.logMark)
        return isPurged ? refuse(.purged) : value
    }

    private func untouched(_ reading: TierValue.Reading) -> TierValue? {
        switch reading {
        case .value(let value): return client.tier.knowledge.isPurged(value) ? refuse(.purged) : value
        case .unreadable, .tooNew: return refuse(.useless)
        case .mismatch:
            client.distrust()
            return refuse(.mismatched)
        case .damaged:
            client.distrust()
            return refuse(.damaged)
        }
    }

    private func refuse<Value>(_ reason: TierCounters.Name) -> Value? {
        client.tier.counters.count(reason)
        return nil
    }
}
