import EventLoop

// Whether an engine that was started anew, or took another's place, has all that nodes have read of
// the purge log.
// Must hold: the life of the log goes on only where every node that was heard of within a day finds
// in it the last purge that the node has applied, in the process that has read it. A log loses its
// end alone, so none of them has applied a purge that is lost, and one that was asked for at one of
// them and not read there yet is written to the log again (`UnloggedPurges`). In doubt another life
// begins, and every node takes its answers for stale: also one that has not heard of a lost purge.
// A node that knows of a loss, or gives up, first writes that into the engine, as another number
// next to the log: from then on the old life cannot come back, whichever node leaves or returns.
//
// One gap remains: a purge is lost for nodes that had not applied it if no node that had is waited
// for or comes back. That is so where a node joined, purged and ended within the lost end of the
// log, where the engine was away for more than a day or its clock is a day ahead, or where two
// nodes have one name. Likewise where the engine is started anew once more, and has lost that other
// number, too.

/// This node's view of an engine with another mark of its history (`EngineHistory`).
///
/// The number stored next to the log and that mark make the epoch. Nodes that agree store another
/// number, so that both make the same epoch as before.
struct LogSuccession: Sendable {
    /// The number next to the log when this process took a page of it last, and the engine's mark.
    private var stored: LogEpoch?
    private var engine: UInt64?
    /// The life that would begin, and until when other nodes are waited for.
    private var doubt: (epoch: LogEpoch, until: Instant)?
    /// The number next to the log that is to go, and how many pages had it all the same.
    private var condemned: (stored: LogEpoch, pages: Int)?
    /// The pages that are waited for: about a second.
    private static let mostPages = 4
    /// In how many pages the other nodes were not known yet.
    private var unlistedPages = 0

    enum Verdict: Sendable {
        /// The page is to be read; whether the log lacks the entry at this node's place.
        case take(lacksPlace: Bool)
        /// It is to be asked for again, after that command. Where all nodes have said that they
        /// have their places in that life, it makes it the one that was; where one lacks its
        /// place, it ends the one that was.
        case wait(RESPCommand?)
    }

    private let patience: Duration

    init(patience: Duration) { self.patience = patience }

    /// Whether this node does without the engine until nodes agree.
    var isOpen: Bool { doubt != nil || condemned != nil }

    /// The life in which this node says that it has its place.
    var doubted: LogEpoch? { doubt?.epoch }

    /// Whether the page is of another engine than the one before, or of one that began anew.
    func isOther(_ page: PurgeLogPage) -> Bool { engine.map { $0 != page.engine } ?? false }

    mutating func judge(
        _ page: PurgeLogPage, _ log: PurgeLogState, _ heartbeat: Heartbeat, _ keys: TierKeys, now: Instant
    ) -> Verdict {
        // It is not read either.
        guard log.isPlausible(page) else { return .take(lacksPlace: false) }
        guard let old = log.logMark?.epoch else { return take(page) }
        guard page.epoch != old else {
            let lacksPlace = engine != page.engine && log.lacksPlace(in: page)
            return lacksPlace ? condemn(page, keys, lacksPlace: true) : take(page)
        }
        // Another node has ended the old life.
        if let known = stored ?? condemned?.stored, known != page.stored { return take(page) }
        if stored == nil {
            guard heartbeat.registry.knowsOthers || unlistedPages == Self.mostPages else {
                unlistedPages += 1
                return .wait(nil)
            }
            // The old life cannot come back: nodes that doubt see that one too.
            if heartbeat.registry.others(now: now).contains(where: { $0.mark?.epoch == page.epoch }) {
                return take(page)
            }
        }
        guard stored != nil, condemned == nil, log.hasPlace(in: page, atEnd: false) else { return condemn(page, keys) }
        let until = doubt.flatMap { $0.epoch == page.epoch ? $0.until : nil } ?? now + patience
        guard now < until else { return condemn(page, keys) }
        doubt = (page.epoch, until)
        guard heartbeat.said == page.epoch else { return .wait(nil) }
        switch heartbeat.registry.agreement(on: page.epoch, from: old, now: now) {
        case .all:
            let other = LogEpoch(number: old.number ^ page.engine)
            return .wait(PurgeLogQuery.replacing(page.stored, by: other, keys))
        case .open: return .wait(nil)
        case .none: return condemn(page, keys)
        }
    }

    /// Ends the old life for all nodes. An engine that does not let it happen is taken as it is.
    private mutating func condemn(_ page: PurgeLogPage, _ keys: TierKeys, lacksPlace: Bool = false) -> Verdict {
        let pages = condemned.flatMap { $0.stored == page.stored ? $0.pages : nil } ?? 0
        guard pages < Self.mostPages else { return take(page, lacksPlace: lacksPlace) }
        (doubt, condemned) = (nil, (page.stored, pages + 1))
        return .wait(PurgeLogQuery.replacing(page.stored, by: .random(), keys))
    }

    private mutating func take(_ page: PurgeLogPage, lacksPlace: Bool = false) -> Verdict {
        (stored, engine, doubt, condemned) = (page.stored, page.engine, nil, nil)
        return .take(lacksPlace: lacksPlace)
    }
}

extension NodeRegistry {
    enum Agreement: Sendable {
        case all, open, none
    }

    /// Whether all other nodes that are known have said that they have their place in that life.
    /// None: one of them has begun with it, and has taken its answers for stale.
    fileprivate func agreement(on epoch: LogEpoch, from old: LogEpoch, now: Instant) -> Agreement {
        let others = others(now: now)
        if others.contains(where: { $0.mark?.epoch == epoch }) { return .none }
        return others.allSatisfy { $0.confirmed == epoch && $0.mark?.epoch == old } ? .all : .open
    }
}
