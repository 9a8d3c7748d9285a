import Cache
import EventLoop
import Purging
import Store
import Text

/// Follows the purge log for a whole process, with a connection of its own. One of them runs in a
/// process. Confined to its loop; `board` and the `PurgeKnowledge` are for everyone.
///
/// `FollowerState` decides, this performs. Its owner calls `close` before it lets go of it.
package final class LogFollower {
    /// Constants; tests shorten them.
    package struct Settings: Sendable {
        /// For how long purges stay in the log. A node that was away for longer takes the freshness
        /// of all that it has, and values of the tier that are older are not taken: so it may be
        /// shorter than answers live, at the price of those that live longer.
        var horizon: Duration = .seconds(30 * 86_400)
        /// Between two looks at a log that was read to its end, and between two tries at an engine
        /// that does not answer.
        var pause: Duration = .milliseconds(250)
        /// Between two pages of a log that does not grow. It is glanced at meanwhile, which costs
        /// the engine two commands in place of seven.
        var pageInterval: Duration = .seconds(4)
        /// Between two signs of life.
        var heartbeat: Duration = .seconds(2)
        /// Time between heartbeats while a purge waits for other nodes.
        var hastyHeartbeat: Duration = .milliseconds(50)
        /// For the replies to one pipeline.
        var patience: Duration = .seconds(1)
        /// How long a purge waits for other nodes.
        var purgePatience: Duration = .seconds(2)
        /// How long an engine that began anew waits for other nodes (`LogSuccession`): after that
        /// they are not taken to be up.
        var successionPatience: Duration = .milliseconds(NodeRegistry.aliveFor)

        package init() {}
    }

    private let cache: ResponseCache
    private let knowledge: PurgeKnowledge
    private let board: SharingBoard
    private let settings: Settings
    private let loop: EventLoop
    private let clock: @Sendable () -> Int64
    private let log: @Sendable (String) -> Void
    private let inform: @Sendable (String) -> Void
    private let wishes: Wishes
    private let connection: TierConnection
    private let name: String

    private var state: FollowerState
    private var effects = ActionQueue<FollowerState.Effect>()
    private let timer: DeadlineTimer
    private var purgeCount = 0
    /// Whether the cache's list has got purges whose count nobody wants.
    private var isSweepDue = false
    /// The number of the last purge of everything because the log was broken. Those of the log are
    /// read anew then, and count as later ones: values that lack them are from after the break.
    private var lastBreak: Int64 = 0
    /// The purges since, until the history began to be read. Each purge of the log is looked for
    /// among them, and not among those that were read before it.
    private var known: Range<Int64> = 1..<1
    private var renumberings: Int
    private var hasUnlogged = false
    private var doubt: LogMark?
    /// Whether the doubt is still to be written down.
    private var isDoubting = false
    /// By the numbers of purges that were asked for here.
    private var completions: [Int: (PurgeReport) -> Void] = [:]
    /// Callers that wait until their purge holds on this node, by the same numbers.
    private var acknowledgements: [Int: (PurgeReport) -> Void] = [:]
    /// Reports that wait until `knowledge` says where this node is.
    private var reports: [() -> Void] = []
    private var whenLeft: () -> Void = {}

    /// The name of the fact that the cache's file keeps: how far the purges of the log are applied
    /// to it.
    private static let fact = "purge_log"
    /// Another fact: `1` while purges are done here that the log may lack; else a mark, where older
    /// values may lack those of an earlier run.
    private static let unloggedFact = "purge_log_lacks"

    /// The names that clients want of the origin: this node's line, and the reader of the others'.
    package struct Wishes {
        let own: () -> (line: String, isNews: Bool)
        let heed: ([String]) -> Void

        package init(
            own: @escaping () -> (line: String, isNews: Bool) = { ("", false) },
            heed: @escaping ([String]) -> Void = { _ in }
        ) {
            (self.own, self.heed) = (own, heed)
        }
    }

    /// Begins to follow, on the loop.
    /// - Parameters:
    ///   - knowledge: is kept up to date, for leaders that take values of the tier.
    ///   - board: gets the status of this node.
    ///   - clock: unix milliseconds of this machine, from the loop.
    ///   - observe: gets the status of the connection.
    ///   - refusals: is told what the engine refuses.
    ///   - inform: gets a line, without its end, for each purge of another node.
    ///   - log: gets one for each change of health.
    package init(
        _ tier: TierSettings, _ node: NodeIdentity, cache: ResponseCache, knowledge: PurgeKnowledge,
        board: SharingBoard = SharingBoard(), settings: Settings = Settings(), wishes: Wishes = Wishes(),
        loop: EventLoop,
        clock: @escaping @Sendable () -> Int64 = { Timestamp.now().microseconds / 1000 },
        observe: @escaping (TierStatus) -> Void = { _ in }, refusals: SharedRefusalLog = SharedRefusalLog(),
        inform: @escaping @Sendable (String) -> Void = { _ in }, log: @escaping @Sendable (String) -> Void
    ) {
        loop.assertOnLoop()
        timer = DeadlineTimer(loop: loop)
        (self.cache, self.knowledge, self.board, self.settings, self.loop) = (cache, knowledge, board, settings, loop)
        (self.clock, self.inform, self.log, name) = (clock, inform, log, node.name)
        self.wishes = wishes
        renumberings = cache.purges.renumberings
        connection = TierConnection(tier, loop: loop, observe: observe, refusals: refusals, log: log)
        let keys = TierKeys(prefix: tier.keyPrefix)
        state = FollowerState(node, keys, settings, at: .init(now: loop.now, wall: clock()))
        board.show(status)
        timer.action = { [weak self] in self?.wake() }
        let confined = Confined(self, to: loop)
        cache.kept(Self.fact) { [cache] text in
            cache.kept(Self.unloggedFact) { unlogged in
                confined.execute { $0.begin(text.flatMap { LogMark($0.utf8) }, unlogged) }
            }
        }
    }

    /// A node that was never told of a log may have purged by itself.
    private func begin(_ kept: LogMark?, _ unlogged: String?) {
        doubt = unlogged.flatMap { LogMark($0.utf8) }
        isDoubting = unlogged == "1" || kept == nil && cache.purges.newest > 0
        tell(.began(kept, doubt: doubt, mayLackOwn: isDoubting))
    }

    private func wake() {
        let (line, isNews) = wishes.own()
        if line != state.registry.own.wanted { tell(.wanted(line, isNews: isNews)) }
        tell(.woken)
    }

    private func noteDoubt() {
        guard isDoubting, state.mayTake, let mark = knowledge.forgottenUntil else { return }
        (isDoubting, doubt) = (false, mark)
        if !hasUnlogged { cache.keep(mark.text, as: Self.unloggedFact) }
    }

    /// Purges this node and all others, absent ones as soon as they are back; then calls
    /// `completion` with the report, on the loop. It waits for nodes that are up, two seconds at
    /// most, and for this node's own disk. A dry run counts here alone.
    ///
    /// Where the engine cannot be asked, this node is purged all the same, and the report names all
    /// others as missing. They hear of it once the engine takes it, if this process lives to see
    /// that; to be sure, it is to be asked for again. Where thousands of purges wait for the
    /// engine, the latest become one soft purge of everything.
    /// - Parameter durable: gets a report as soon as the purge holds on this node and its disk has
    ///   it: without the count, and before others may have heard of it. Not called after
    ///   `completion`, for a dry run, nor where this node's file refuses.
    package func purge(
        _ selection: EntrySelection, _ mode: PurgeMode, durable: ((PurgeReport) -> Void)? = nil,
        _ completion: @escaping (PurgeReport) -> Void
    ) {
        loop.assertOnLoop()
        let now = clock() / 1000
        guard let record = PurgeRecord(selection, mode, at: now, by: name) else {
            let confined = Confined(completion, to: loop)
            return cache.purge(selection, mode, at: now) { @Sendable count in
                confined.execute { $0(PurgeReport(purged: count, replication: .unlogged, missing: [], nodes: 1)) }
            }
        }
        purgeCount += 1
        completions[purgeCount] = completion
        acknowledgements[purgeCount] = durable
        tell(.purge(purgeCount, record))
    }

    /// The status of this moment; the board shows an earlier one.
    var status: SharingStatus {
        loop.assertOnLoop()
        return state.status(at: loop.now)
    }

    /// Tells the other nodes of the upstream, and the log of nodes that have another one.
    package func use(_ origin: Origin) {
        loop.assertOnLoop()
        tell(.upstream(origin.name))
    }

    /// Takes this node off the list of nodes, where it is to end and not to be missed: it has
    /// nothing to catch up with before it begins anew. Then calls `completion`, be the engine there
    /// or not. `close` is still to be called.
    package func leave(_ completion: @escaping () -> Void) {
        loop.assertOnLoop()
        whenLeft = completion
        tell(.leave)
    }

    /// Ends it for good. Purges that wait are reported as far as they are known; one that the cache
    /// is doing goes on.
    package func close() {
        loop.assertOnLoop()
        tell(.close)
        connection.close()
    }

    // MARK: Performing

    private func tell(_ event: FollowerState.Event) {
        noteRenumbering()
        guard effects.add(state.take(event, at: .init(now: loop.now, wall: clock()))) else { return }
        while let effect = effects.next() { perform(effect) }
        noteDoubt()
        knowledge.move(to: state.logMark, mayTake: state.mayTake)
        board.show(status)
        if isSweepDue { cache.sweepIfOwed() }
        isSweepDue = false
        if let wakeAt = state.wakeAt { timer.set(wakeAt) } else { timer.clear() }
        let due = reports
        reports = []
        for report in due { report() }
    }

    /// Until the history is read anew no value is taken (`LogPlaces`).
    private func noteRenumbering() {
        guard renumberings != cache.purges.renumberings else { return }
        (renumberings, lastBreak) = (cache.purges.renumberings, 0)
        _ = state.take(.renumbered, at: .init(now: loop.now, wall: clock()))
    }

    private func perform(_ effect: FollowerState.Effect) {
        switch effect {
        case .ask(let question, let commands):
            connection.send(commands, timeout: settings.patience) { [self] in tell(.answered(question, $0)) }
        case .beginHistory(let epoch, let until):
            // No value may be judged by a history whose purges are still to be noted.
            knowledge.move(to: state.logMark, mayTake: false)
            knowledge.begin(epoch, forgottenUntil: until, in: cache.purges)
            known = (lastBreak + 1)..<(max(lastBreak, cache.purges.newest) + 1)
        case .note(let entry, let isNew):
            // The cache does a new one next.
            knowledge.note(entry.position, as: isNew ? cache.purges.newest + 1 : number(of: entry.record))
        case .hold(let unlogged): hold(unlogged)
        case .purge(let job, let selection, let mode, let now):
            purgeCache(job, selection, mode, at: now)
            if case .everything = job { lastBreak = cache.purges.newest }
        case .persist(let mark): cache.keep(mark.text, as: Self.fact)
        case .acknowledge(let number, let report):
            if let durable = acknowledgements.removeValue(forKey: number) { reports.append { durable(report) } }
        case .report(let number, let report):
            acknowledgements[number] = nil
            if let completion = completions.removeValue(forKey: number) { reports.append { completion(report) } }
        case .warn(let line): log(line)
        case .inform(let line): inform(line)
        case .heed(let lines): wishes.heed(lines)
        case .left: whenLeft()
        }
    }

    /// The number of a purge that the cache may have had. One that it has not comes after those
    /// that it has; so do all that are read after it, which keep their order.
    private func number(of record: PurgeRecord) -> Int64 {
        let number = cache.purges.noteIfUnknown(record.selection, record.mode, among: known)
        if number >= known.upperBound {
            known = 1..<1
            isSweepDue = true
        }
        return number
    }

    private func hold(_ unlogged: [UnloggedPurge]) {
        knowledge.hold(unlogged, from: cache.purges.newest + 1)
        guard hasUnlogged == unlogged.isEmpty else { return }
        hasUnlogged = !unlogged.isEmpty
        cache.keep(hasUnlogged || isDoubting ? "1" : doubt?.text ?? "", as: Self.unloggedFact)
    }

    private func purgeCache(_ job: FollowerState.Job, _ selection: EntrySelection, _ mode: PurgeMode, at now: Int64) {
        let confined = Confined(self, to: loop)
        let durable: @Sendable () -> Void = { confined.execute { $0.tell(.durable(job)) } }
        cache.purge(selection, mode, at: now, durable: durable) { @Sendable count in
            confined.execute { $0.tell(.purged(job, count)) }
        }
    }
}
