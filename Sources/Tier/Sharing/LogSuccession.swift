import EventLoop

// Whether an engine that was started anew, or took another's place, has all that nodes have read of
// the purge log.
// Must hold: the life of the log goes on only where every node that was heard of within a day finds
// in it the last purge that the node has applied, in the process that has read it. A log loses its
// end alone, so none of them has applied a purge that is lost, and one that was asked for at one of
// them and not read there yet is written to the log again (`UnloggedPurges`). In doubt another life
// begins, and every node takes what it has for stale: also one that has not heard of a lost purge.
//
// What remains: a node that joined, purged and ended, all within what the engine lost, is on no
// list, so nobody waits for it. Its purge is lost for nodes that had not applied it.

/// What this node makes of an engine with another mark of its history (`EngineHistory`).
///
/// The epoch is what stands beside the log together with that mark. Nodes that agree put another
/// number beside the log, so that both make the same epoch as before.
struct LogSuccession: Sendable {
    /// What stood beside the log when this process took a page of it last, and the engine's mark.
    private var stored: LogEpoch?
    private var engine: UInt64?
    /// The life that would begin, and until when other nodes are waited for.
    private var doubt: (epoch: LogEpoch, until: Instant)?

    enum Verdict: Sendable {
        /// The page is to be read; whether the log lacks what this node has read of it.
        case take(lacksPlace: Bool)
        /// It is to be asked for again, and this node says that it has its place in that life. The
        /// command, where all nodes have said so, makes it the one that was.
        case wait(RESPCommand?)
    }

    private let patience: Duration

    init(patience: Duration) { self.patience = patience }

    /// Whether this node does without the engine until nodes agree.
    var isOpen: Bool { doubt != nil }

    /// Whether the page is of another engine than the one before, or of one that began anew.
    func isOther(_ page: PurgeLogPage) -> Bool { engine.map { $0 != page.engine } ?? false }

    mutating func judge(
        _ page: PurgeLogPage, _ log: PurgeLogState, _ registry: NodeRegistry, _ keys: TierKeys, now: Instant
    ) -> Verdict {
        guard let old = log.fence?.epoch else { return take(page) }
        guard page.epoch != old else {
            return take(page, lacksPlace: engine != page.engine && !log.hasPlace(in: page, atEnd: true))
        }
        guard stored == page.stored, log.hasPlace(in: page, atEnd: false) else { return take(page) }
        let until = doubt.flatMap { $0.epoch == page.epoch ? $0.until : nil } ?? now + patience
        doubt = (page.epoch, until)
        guard now < until else { return take(page) }
        switch registry.agreement(on: page.epoch, from: old, now: now) {
        case .all:
            let other = LogEpoch(number: old.number ^ page.engine)
            return .wait(PurgeLogQuery.replacing(page.stored, by: other, keys))
        case .open: return .wait(nil)
        case .none: return take(page)
        }
    }

    private mutating func take(_ page: PurgeLogPage, lacksPlace: Bool = false) -> Verdict {
        (stored, engine, doubt) = (page.stored, page.engine, nil)
        return .take(lacksPlace: lacksPlace)
    }
}

extension NodeRegistry {
    enum Agreement: Sendable {
        case all, open, none
    }

    /// Whether all other nodes that are known have said that they have their place in that life.
    /// None: one of them has begun with it, and has taken what it had for stale.
    fileprivate func agreement(on epoch: LogEpoch, from old: LogEpoch, now: Instant) -> Agreement {
        guard knowsOthers else { return .open }
        let others = others(now: now)
        if others.contains(where: { $0.mark?.epoch == epoch }) { return .none }
        return others.allSatisfy { $0.confirmed == epoch && $0.mark?.epoch == old } ? .all : .open
    }
}
