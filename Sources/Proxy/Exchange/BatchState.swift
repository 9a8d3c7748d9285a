import EventLoop

// Combines misses into `ids` requests: decides which misses wait, and when a batch is sent. Pure.
// Must hold: a miss waits only while another of its kind is under way, and never longer than
// `window`; a waiting member leaves once, in one batch; a batch has at most as many ids as the
// origin takes, each once; of a kind with nothing under way only its failures are kept.

/// Combines misses like Nagle's algorithm (RFC 896): a miss is sent at once while nothing of its
/// kind is under way, and waits for others otherwise.
///
/// A batch is sent when nothing of its kind is under way any more, when it is full, or after
/// `window`. Origins take longer than that, so the window bounds the cost of waiting, also for a
/// slow or dead origin.
struct BatchState<Kind: Hashable & Sendable, Member: Sendable>: Sendable {
    /// Misses that go to the origin together.
    struct Batch: Sendable {
        let kind: Kind
        /// In the order in which they came, each once.
        private(set) var ids: [[UInt8]] = []
        private(set) var members: [(id: [UInt8], member: Member)] = []
        /// The number of ids before the batch was split; 0 for a whole one.
        private var wholeCount = 0

        fileprivate init(kind: Kind) {
            self.kind = kind
        }

        /// Failures in a row, its own included, after which batches are not split any more.
        fileprivate var patience: Int { min(max(max(wholeCount, ids.count) / 2, 3), 8) }

        fileprivate mutating func add(_ id: [UInt8], _ member: Member) {
            if !ids.contains(id) { ids.append(id) }
            members.append((id, member))
        }

        fileprivate func halved() -> (Batch, Batch)? {
            guard ids.count > 1 else { return nil }
            let first = Set(ids.prefix(ids.count / 2))
            var (one, other) = (Batch(kind: kind), Batch(kind: kind))
            one.wholeCount = max(wholeCount, ids.count)
            other.wholeCount = one.wholeCount
            for (id, member) in members {
                if first.contains(id) { one.add(id, member) } else { other.add(id, member) }
            }
            return (one, other)
        }
    }

    enum Action: Sendable {
        /// Send it alone, at once; then call `ended`.
        case goAlone
        /// It waits; call `due` then.
        case wake(at: Instant)
        /// It waits with others, for which `due` will be called.
        case wait
        /// The batch is full: send it; then call `ended`.
        case send(Batch)
    }

    /// State of one kind.
    private struct Misses: Sendable {
        /// Requests that have not ended.
        var underWay = 0
        var waiting: Batch?
        /// When the waiting batch is sent at the latest.
        var due = Instant(nanoseconds: .min)

        /// A request has ended: the batch to send now, and whether nothing is left.
        mutating func end() -> (batch: Batch?, isOver: Bool) {
            underWay -= 1
            guard underWay == 0 else { return (nil, false) }
            let batch = takeWaiting()
            return (batch, batch == nil)
        }

        mutating func takeWaiting() -> Batch? {
            guard let batch = waiting else { return nil }
            waiting = nil
            underWay += 1
            return batch
        }
    }

    /// How a request ended at the origin.
    enum End: Sendable {
        case answered
        /// The origin is in trouble, or one of the ids is the cause.
        case failed
        /// The origin was not asked, or answered 429.
        case untold

        init(status: Int) {
            self = status >= 500 ? .failed : status == 429 ? .untold : .answered
        }
    }

    private var kinds: [Kind: Misses] = [:]
    /// Failures since the last answer.
    private var failures: [Kind: Int] = [:]

    /// More kinds than apps ask for; beyond, all counts are dropped.
    static var mostFailing: Int { 256 }

    /// The longest that a miss waits for others.
    static var window: Duration { .milliseconds(4) }

    /// Kinds with requests under way.
    var count: Int { kinds.count }

    /// A miss of one resource.
    /// - Parameters:
    ///   - most: the most ids of one request; only asked of a miss that waits.
    ///   - mayWait: whether a batch could answer it.
    mutating func add(
        _ id: [UInt8], of kind: Kind, _ member: @autoclosure () -> Member, most: @autoclosure () -> Int,
        at now: Instant, mayWait: () -> Bool
    ) -> Action {
        Self.add(id, of: kind, member, most, at: now, mayWait, to: &kinds[kind, default: Misses()])
    }

    private static func add(
        _ id: [UInt8], of kind: Kind, _ member: () -> Member, _ most: () -> Int, at now: Instant,
        _ mayWait: () -> Bool, to misses: inout Misses
    ) -> Action {
        guard misses.underWay > 0, mayWait() else {
            misses.underWay += 1
            return .goAlone
        }
        let isFirst = misses.waiting == nil
        misses.waiting = misses.waiting ?? Batch(kind: kind)
        misses.waiting?.add(id, member())
        if let batch = misses.waiting, batch.ids.count >= most() {
            misses.waiting = nil
            misses.underWay += 1
            return .send(batch)
        }
        guard isFirst else { return .wait }
        misses.due = now + window
        return .wake(at: misses.due)
    }

    /// The waiting batch of this kind, if it is due: send it; then call `ended`.
    mutating func due(_ kind: Kind, at now: Instant) -> Batch? {
        guard let index = kinds.index(forKey: kind), kinds.values[index].due <= now else { return nil }
        return kinds.values[index].takeWaiting()
    }

    /// A request, or a batch, has ended. Returns the waiting batch to send, if it was the last one
    /// under way.
    mutating func ended(_ kind: Kind, _ end: End) -> Batch? {
        note(end, of: kind)
        guard let index = kinds.index(forKey: kind) else { preconditionFailure("an end is told once") }
        let next = kinds.values[index].end()
        if next.isOver { kinds.remove(at: index) }
        return next.batch
    }

    /// Splits a failed batch in two, each with an end; nil for a single id, and after too many
    /// failures: then call `ended`.
    mutating func halve(_ batch: Batch) -> (Batch, Batch)? {
        guard failures[batch.kind, default: 0] < batch.patience, let halves = split(batch) else { return nil }
        note(.failed, of: batch.kind)
        return halves
    }

    /// Splits a batch whose answer was too large in two, each with an end; nil for a single id:
    /// then call `ended`.
    mutating func split(_ batch: Batch) -> (Batch, Batch)? {
        guard let halves = batch.halved() else { return nil }
        kinds[batch.kind]?.underWay += 1
        return halves
    }

    private mutating func note(_ end: End, of kind: Kind) {
        switch end {
        case .answered: if !failures.isEmpty { failures[kind] = nil }
        case .failed:
            if failures.count >= Self.mostFailing { failures.removeAll() }
            failures[kind, default: 0] += 1
        case .untold: break
        }
    }
}
