import EventLoop

// Which misses wait to be joined into one `ids` request, and when they go. Pure.
// Must hold: a miss waits only while another of its kind is under way, and never longer than
// `window`; a member that waits comes out once, in one batch; a batch has at most as many ids as
// the origin takes, each once; of a kind of which nothing is under way nothing is kept but how
// often in a row the origin failed to answer it.

/// Joining in the manner of Nagle's algorithm (RFC 896): what comes while nothing is under way goes
/// at once, and what comes behind it may wait for more of its kind.
///
/// A batch goes when nothing of its kind is under way any more, when it is full, or after
/// `window`. A real origin takes longer than that, so it is the window that bounds what waiting
/// costs, and a slow or dead origin does not make it longer; one that answers within the window
/// releases what waits even sooner.
struct BatchState<Kind: Hashable & Sendable, Member: Sendable>: Sendable {
    /// Misses that go to the origin together.
    struct Batch: Sendable {
        let kind: Kind
        /// In the order in which they came, each once.
        private(set) var ids: [[UInt8]] = []
        private(set) var members: [(id: [UInt8], member: Member)] = []
        /// How many ids the batch has that this one is a part of; 0 for a whole one.
        private var wholeCount = 0

        fileprivate init(kind: Kind) {
            self.kind = kind
        }

        /// Failures in a row, its own included, after which the origin is taken to fail altogether.
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
        /// By itself, at once; its end is told by `ended`.
        case goAlone
        /// It waits; come back with `due` then.
        case wake(at: Instant)
        /// It waits with others, whose moment has been asked for already.
        case wait
        /// It is the last that there was room for; the end of the batch is told by `ended`.
        case send(Batch)
    }

    /// State of one kind.
    private struct Misses: Sendable {
        /// Requests whose end has not been told.
        var underWay = 0
        var waiting: Batch?
        /// When what waits has waited for long enough.
        var due = Instant(nanoseconds: .min)

        /// One has ended; what goes now, and whether nothing is left.
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

    /// How a request ended, as far as the origin is concerned.
    enum End: Sendable {
        case answered
        /// The origin is in trouble, or one of the ids is why.
        case failed
        /// The origin was not asked, or asks for patience.
        case untold

        init(status: Int) {
            self = status >= 500 ? .failed : status == 429 ? .untold : .answered
        }
    }

    private var kinds: [Kind: Misses] = [:]
    /// Failures since the last answer, of kinds that have any.
    private var failures: [Kind: Int] = [:]

    /// More kinds than apps ask for; beyond, counting begins anew.
    static var mostFailing: Int { 256 }

    /// The longest that a miss waits for others.
    static var window: Duration { .milliseconds(4) }

    /// Kinds of which something is under way.
    var count: Int { kinds.count }

    /// A miss of one resource.
    /// - Parameters:
    ///   - most: how many ids one request may have.
    ///   - mayWait: whether it could be answered out of a batch; asked where that matters.
    mutating func add(
        _ id: [UInt8], of kind: Kind, _ member: @autoclosure () -> Member, most: Int, at now: Instant,
        mayWait: () -> Bool
    ) -> Action {
        Self.add(id, of: kind, member, most: most, at: now, mayWait, to: &kinds[kind, default: Misses()])
    }

    private static func add(
        _ id: [UInt8], of kind: Kind, _ member: () -> Member, most: Int, at now: Instant, _ mayWait: () -> Bool,
        to misses: inout Misses
    ) -> Action {
        guard misses.underWay > 0, mayWait() else {
            misses.underWay += 1
            return .goAlone
        }
        let isFirst = misses.waiting == nil
        misses.waiting = misses.waiting ?? Batch(kind: kind)
        misses.waiting?.add(id, member())
        if let batch = misses.waiting, batch.ids.count >= most {
            misses.waiting = nil
            misses.underWay += 1
            return .send(batch)
        }
        guard isFirst else { return .wait }
        misses.due = now + window
        return .wake(at: misses.due)
    }

    /// The waiting batch of this kind, if it has waited for long enough; `ended` tells its end.
    mutating func due(_ kind: Kind, at now: Instant) -> Batch? {
        guard let index = kinds.index(forKey: kind), kinds.values[index].due <= now else { return nil }
        return kinds.values[index].takeWaiting()
    }

    /// A request has ended, of a single one or of a batch. What waits goes if it was the last one
    /// under way; its end is told by `ended`.
    mutating func ended(_ kind: Kind, _ end: End) -> Batch? {
        note(end, of: kind)
        guard let index = kinds.index(forKey: kind) else { preconditionFailure("an end is told once") }
        let next = kinds.values[index].end()
        if next.isOver { kinds.remove(at: index) }
        return next.batch
    }

    /// Splits a batch that the origin could not answer at once into two parts, each with an end;
    /// nil for a single id, and where nothing of its kind is answered any more: then `ended` tells
    /// its end.
    mutating func halve(_ batch: Batch) -> (Batch, Batch)? {
        guard failures[batch.kind, default: 0] < batch.patience, let halves = batch.halved() else { return nil }
        note(.failed, of: batch.kind)
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
