import Cache
import EventLoop
import Glibc

// One node among those that share the tier: it follows the purge log, tells the others of purges
// and of itself, and knows of them. `PurgeLogState`, `NodeRegistry` and `PurgeWait` decide; this
// performs. Parts: `-following` (the log), `-purging`, `-nodes` (the heartbeat).
// Must hold: what concerns the history is done before anything else, and `PurgeKnowledge` is told
// where this node stands behind each step; a purge that was asked for here is done here, whatever
// the engine does; every completion is called once.

/// Follows the purge log for a whole process, with a connection of its own. One of them runs in a
/// process. Confined to its loop; `board` and the `PurgeKnowledge` are for everyone.
///
/// Whoever lets go of it calls `close` first.
package final class LogFollower {
    /// What is to be set for tests alone, but for `horizon`.
    package struct Settings: Sendable {
        /// For how long purges stay in the log. A node that was away for longer takes the freshness
        /// of all that it has, and values of the tier that are older are not taken: so it may be
        /// shorter than answers live, at the price of those that live longer.
        var horizon: Duration = .seconds(30 * 86_400)
        /// Between two looks at a log that was read to its end, and between two tries at an engine
        /// that does not answer.
        var pause: Duration = .milliseconds(250)
        /// Between two signs of life.
        var heartbeat: Duration = .seconds(2)
        /// The same while a purge waits for other nodes.
        var hastyHeartbeat: Duration = .milliseconds(50)
        /// For the replies to one pipeline.
        var patience: Duration = .seconds(1)
        /// How long a purge waits for other nodes.
        var purgePatience: Duration = .seconds(2)

        package init() {}
    }

    /// Where this node stands, and the others: for every thread.
    let board: SharingBoard

    let loop: EventLoop
    let cache: ResponseCache
    let knowledge: PurgeKnowledge
    let keys: TierKeys
    let settings: Settings
    let log: @Sendable (String) -> Void
    let inform: @Sendable (String) -> Void
    /// Unix milliseconds of this machine.
    let clock: @Sendable () -> Int64
    let connection: TierConnection
    var registry: NodeRegistry

    /// Whether the disk has told how far this node came in an earlier run. Before, nothing happens.
    var hasBegun = false
    var state = PurgeLogState()
    var tail = LogTail()
    /// What is still to be performed, in order.
    var actions: [PurgeLogState.Action] = []
    var isPerforming = false
    /// Whether the engine had a replica when it was last asked. To wait for one that is not there
    /// takes it a tenth of a second, and all that is asked behind it waits too.
    var hasReplica = true
    /// Whether the engine has answered what it was asked last.
    var isConnected = false
    /// Since when it has not, in unix seconds.
    var awaySince: Int64
    /// Which reply belongs to the page that is waited for: those to older questions are not read.
    var reading = 0
    var pauseTimer: TimerToken?
    /// What was last said to the log of pages that cannot be read.
    var complaint: String?

    var waits: [PurgeWait] = []
    var purgeCount = 0
    /// When purges that were done beside the log were last written to it.
    var lastLogging: Instant?
    var isBeating = false
    /// Whether there is news since the sign of life that is on its way.
    var isBeatDue = false
    var beatTimer: TimerToken?
    /// Why the engine did not take the last sign of life.
    var refusal: String?
    var lastTrim: Instant?
    var hasLeft = false
    var isClosed = false

    /// The name of the fact that the cache's file keeps: how far the purges of the log are applied
    /// to what it holds.
    static let fact = "purge_log"

    /// Begins to follow, on the loop.
    /// - Parameters:
    ///   - knowledge: is kept up to date, for those who take values of the tier.
    ///   - board: is shown where this node stands.
    ///   - clock: unix milliseconds of this machine, from the loop.
    ///   - observe: is told what the connection is.
    ///   - inform: gets a line, without its end, for each purge of another node.
    ///   - log: gets one for each change of fortune.
    package init(
        _ tier: TierSettings, _ node: NodeIdentity, cache: ResponseCache, knowledge: PurgeKnowledge,
        board: SharingBoard = SharingBoard(), settings: Settings = Settings(), loop: EventLoop,
        clock: @escaping @Sendable () -> Int64 = LogFollower.systemClock,
        observe: @escaping (TierStatus) -> Void = { _ in }, inform: @escaping @Sendable (String) -> Void = { _ in },
        log: @escaping @Sendable (String) -> Void
    ) {
        loop.assertOnLoop()
        (self.cache, self.knowledge, self.board, self.settings, self.loop) = (cache, knowledge, board, settings, loop)
        (self.clock, self.inform, self.log) = (clock, inform, log)
        awaySince = clock() / 1000
        keys = TierKeys(prefix: tier.keyPrefix)
        connection = TierConnection(tier, loop: loop, observe: observe, log: log)
        registry = NodeRegistry(node)
        publish()
        let confined = Confined(self, to: loop)
        cache.kept(Self.fact) { text in confined.execute { $0.begin(text) } }
    }

    /// Purges this node and all others, those that are away as soon as they are back; then tells
    /// what came of it, on the loop. It waits for nodes that are up, two seconds at most, and for
    /// this node's own disk. A dry run counts here alone.
    ///
    /// Where the engine cannot be asked, this node is purged all the same, and the report names
    /// all others as missing. They hear of it once the engine takes it, if this process lives to
    /// see that; to be sure, it is to be asked for again. Of thousands that wait for the engine the
    /// latest become a soft one of everything there.
    /// - Parameter now: unix seconds.
    package func purge(
        _ selection: EntrySelection, _ mode: PurgeMode, at now: Int64, _ completion: @escaping (PurgeReport) -> Void
    ) {
        loop.assertOnLoop()
        guard let record = PurgeRecord(selection, mode, at: now, by: registry.own.name) else {
            return count(selection, at: now, completion)
        }
        announce(record, completion)
    }

    /// As the board shows it, but of this moment.
    var status: SharingStatus {
        loop.assertOnLoop()
        var status = SharingStatus()
        status.standing = isConnected ? state.standing : .away
        status.awaySince = isConnected ? nil : awaySince
        status.namesake = registry.namesake
        status.lag = tail.count(beyond: state.position)
        status.skew = registry.skew
        status.nodes = registry.nodes(
            mark: state.fence, isReady: status.standing == .ready, tail: tail, now: loop.now)
        return status
    }

    /// Takes this node off the list of nodes, where it is to end and not to be missed: it has
    /// nothing to catch up with before it begins anew. Then calls `completion`, be the engine there
    /// or not. `close` is still to be called.
    package func leave(_ completion: @escaping () -> Void) {
        loop.assertOnLoop()
        hasLeft = true
        stopBeating()
        connection.send([registry.farewell(keys)], timeout: settings.patience) { _ in completion() }
    }

    /// For good. Purges that wait are told what is known; one that the cache is doing goes on.
    package func close() {
        loop.assertOnLoop()
        guard !isClosed else { return }
        isClosed = true
        stopBeating()
        stopPausing()
        connection.close()
        let unreported = waits
        waits = []
        for wait in unreported { wait.completion(report(of: wait)) }
        knowledge.stand(fence: nil, mayTake: false)
        board.show(SharingStatus())
    }

    /// The machine's clock.
    package static let systemClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    func publish() { board.show(status) }
}
