// How a node follows the purge log: events in, actions out, no I/O and no clock.
// Must hold: every purge in the log is applied here, in order, or every answer from before it is
// made stale; the position on the disk is never ahead of the purges that the disk has applied; a
// node is ready only when it has applied all entries of the log as it was read last.
//
// The log may be trimmed, as long as its newest entry from before the horizon stays: then a node
// that read all of it within the horizon is at that entry or beyond it, however seldom anything is
// purged.

/// A node's reader of the purge log. A process runs one of them.
package struct PurgeLogState: Sendable {
    /// The performer's task.
    private enum Work: Equatable {
        case none, reading, applying, makingStale, waiting
    }

    private var work = Work.none
    private var isConnected = false
    /// Epoch of the log in which `position` counts; nil for a node that never read one.
    private var epoch: LogEpoch?
    /// Everything up to there is applied.
    private(set) var position: LogPosition
    /// The entry there, where this process has read it.
    private var place: PurgeLogEntry?
    /// Position on the disk, or on its way there.
    private var persisted: LogMark?
    /// How far the log was read in this process: from its beginning, for the history.
    private var cursor = LogPosition.start
    /// Read, not applied yet.
    private var queue: ArraySlice<PurgeLogEntry> = []
    /// A break to be repaired before anything else: its reason, and where the log ended then.
    private var broken: (reason: LogBreak, end: LogMark)?
    private var hasHistory = false
    /// Before that position the log once had ids that it does not have now.
    private var lostUntil = LogPosition.start
    /// Whether this node has answered purges that the log may lack, in an earlier life. All values
    /// from before the log as it is read next may be older.
    private var mayLackOwn: Bool
    /// Whether the history is to be read from its beginning.
    private var isOutdated = false
    private var isAtEnd = false
    private(set) var readiness = Readiness.away
    private(set) var wasReady = false

    /// - Parameters:
    ///   - kept: the position on the disk from an earlier run; nil for a node that joins.
    ///   - doubt: before that, values may lack purges that were done here in an earlier run.
    ///   - mayLackOwn: whether all values that are there now may.
    init(kept: LogMark? = nil, doubt: LogMark? = nil, mayLackOwn: Bool = false) {
        self.mayLackOwn = mayLackOwn
        if let doubt, doubt.epoch == kept?.epoch { lostUntil = doubt.position }
        epoch = kept?.epoch
        position = kept?.position ?? .start
        persisted = kept
    }

    /// Whether it waits for the log to grow, and for nothing else.
    var isCaughtUp: Bool {
        work == .waiting && isConnected && readiness == .ready && queue.isEmpty && mayTake && !isOutdated
    }

    /// The log mark of a fetch that begins now; nil where this node knows no log yet: fetched
    /// answers stay its own.
    var logMark: LogMark? { epoch.map { LogMark($0, position) } }

    /// Whether the history knows every purge that the cache has had, so that values of the tier can
    /// be judged.
    var mayTake: Bool { hasHistory && broken == nil && cursor >= position }

    /// There is a connection to an engine.
    mutating func connected() -> [Action] {
        isConnected = true
        readiness = .catchingUp
        if work == .waiting { work = .none }
        return advance()
    }

    /// It is lost. A purge of the cache that is under way goes on, and its end is still reported.
    mutating func disconnected() {
        isConnected = false
        isAtEnd = false
        readiness = .away
        if work == .reading { work = .none }
    }

    /// The purges of the cache have other numbers: the history is read anew, with these.
    mutating func renumbered() { (hasHistory, isOutdated) = (false, true) }

    /// The requested page is not to be read yet.
    mutating func postpone() -> [Action] {
        guard work == .reading else { return [] }
        return pause()
    }

    /// The requested page has come.
    /// - Parameter lacksPlace: whether the log is known to lack the entry at this node's place.
    mutating func read(_ page: PurgeLogPage, lacksPlace: Bool = false) -> [Action] {
        guard work == .reading else { return [] }
        guard isPlausible(page) else { return pause() }
        work = .none
        if isOutdated { return advance() }
        if let reason = brokenBy(page) ?? (lacksPlace ? .beyondEnd : nil) { return breakOff(reason, page) }
        var actions: [Action] = []
        let known = page.hasForgotten ? page.first ?? page.last : .start
        // The log may be trimmed while the history is read page by page.
        if !hasHistory || cursor < known {
            hasHistory = true
            if mayLackOwn { (lostUntil, mayLackOwn) = (max(lostUntil, page.last.next), false) }
            actions.append(.beginHistory(page.epoch, forgottenUntil: max(known, lostUntil)))
        }
        for entry in page.entries {
            if entry.position == position { place = entry }
            if entry.position <= position { actions.append(.note(entry)) } else { queue.append(entry) }
        }
        isAtEnd = page.entries.last.map { $0.position == page.last } ?? true
        cursor = isAtEnd ? page.last : page.entries.last?.position ?? cursor
        return actions + advance()
    }

    /// Whether the entry at that place is waited for.
    func isApplying(_ position: LogPosition) -> Bool { work == .applying && queue.first?.position == position }

    /// The last purge is in effect here, and on the disk, or the disk refused.
    mutating func applied(succeeded: Bool) -> [Action] {
        guard work == .applying, let entry = queue.first else { return [] }
        guard succeeded else { return pause() }
        queue = queue.dropFirst()
        (position, place) = (entry.position, entry)
        work = .none
        return advance()
    }

    /// Ends the step that makes every fresh answer stale; it has failed if the disk refused.
    mutating func madeStale(succeeded: Bool) -> [Action] {
        guard work == .makingStale, let (reason, end) = broken else { return [] }
        guard succeeded else { return pause() }
        // Ids follow the clock from one life of the log to the next: this node has not heard of
        // entries beyond its place, and a hard purge among them is applied as one.
        position = reason == .otherEpoch || reason == .beyondEnd ? min(position, end.position) : end.position
        (epoch, place) = (end.epoch, nil)
        // The history is read anew.
        (broken, hasHistory, cursor) = (nil, false, .start)
        work = .none
        return advance()
    }

    /// The pause is over.
    mutating func woken() -> [Action] {
        guard work == .waiting else { return [] }
        work = .none
        return advance()
    }

    /// Whether it can be the page that was asked for.
    func isPlausible(_ page: PurgeLogPage) -> Bool { page.isPlausible(after: cursor) }

    /// Whether the purge at this node's place is lost, and not only trimmed.
    func lacksPlace(in page: PurgeLogPage) -> Bool {
        !hasPlace(in: page, atEnd: true) && (position > page.last || !isTrimmed(page))
    }

    /// Whether the log reaches back to this node's place no more.
    private func isTrimmed(_ page: PurgeLogPage) -> Bool {
        page.hasForgotten && page.first.map { position < $0 } ?? true
    }

    /// Whether the purge at this node's place is in that log, too.
    /// - Parameter atEnd: whether it may have been taken out as the last of the log; then the place
    ///   may be known from the disk alone.
    func hasPlace(in page: PurgeLogPage, atEnd: Bool) -> Bool {
        if position == .start || atEnd && position == page.last { return true }
        guard let found = page.place, found.position == position else { return false }
        return place.map { $0 == found } ?? atEnd
    }

    /// Why the log does not go on from this node's position; nil where it does.
    private func brokenBy(_ page: PurgeLogPage) -> LogBreak? {
        guard let epoch else { return .joined }
        guard epoch == page.epoch else { return .otherEpoch }
        if position > page.last { return .beyondEnd }
        guard position < page.last else { return nil }
        if isTrimmed(page) { return .trimmed }
        // An operator took the latest entries out of it.
        return page.entries.isEmpty && cursor < page.last ? .trimmed : nil
    }

    private mutating func breakOff(_ reason: LogBreak, _ page: PurgeLogPage) -> [Action] {
        // Ids that were given and lost may be given again, to other purges.
        lostUntil = reason == .beyondEnd ? max(lostUntil, position) : page.epoch == epoch ? lostUntil : .start
        broken = (reason, LogMark(page.epoch, page.last))
        hasHistory = false
        readiness = .catchingUp
        return [.beginHistory(page.epoch, forgottenUntil: max(page.last, lostUntil))] + advance()
    }

    /// Next action of an idle performer.
    private mutating func advance() -> [Action] {
        guard work == .none else { return [] }
        if let broken {
            work = .makingStale
            return [.makeAllStale(broken.reason)]
        }
        if let entry = queue.first {
            work = .applying
            return [.apply(entry)]
        }
        var actions: [Action] = []
        if let logMark, logMark != persisted {
            persisted = logMark
            actions.append(.persist(logMark))
        }
        guard isConnected else { return actions }
        if isAtEnd {
            isAtEnd = false
            (readiness, wasReady) = (.ready, true)
            return actions + pause()
        }
        work = .reading
        if isOutdated { (cursor, isOutdated) = (.start, false) }
        return actions + [.read(after: cursor)]
    }

    private mutating func pause() -> [Action] {
        work = .waiting
        return [.wait]
    }

    /// They are performed in their order. Those on the history are done before any other event and
    /// before any value is judged: `mayTake` counts on it.
    enum Action: Sendable, Equatable {
        /// Ask for the page beyond that, then `read`.
        case read(after: LogPosition)
        /// Begin with `LogPlaces` that know nothing.
        case beginHistory(LogEpoch, forgottenUntil: LogPosition)
        /// Put it into the history. The cache has had it.
        case note(PurgeLogEntry)
        /// Put it into the history, purge the cache, then `applied`.
        case apply(PurgeLogEntry)
        /// Take the freshness of everything that is stored now, then `madeStale`.
        case makeAllStale(LogBreak)
        /// Write it down; later actions do not wait for that.
        case persist(LogMark)
        /// Call `woken` after a pause, or sooner when the log is said to have grown.
        case wait
    }

    package enum Readiness: Sendable, Equatable {
        /// Without a connection: this node does not hear of purges elsewhere.
        case away
        /// There may be purges that were not applied.
        case catchingUp
        /// The log is applied as far as it was when it was read last.
        case ready
    }
}
