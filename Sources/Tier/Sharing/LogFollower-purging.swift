import Cache
import EventLoop

// Purges that are asked for on this node: written to the log, done here as the log is read, and
// reported when the nodes that are up have done the same.

extension LogFollower {
    /// Milliseconds that a replica has to say that it has a purge.
    private static let replicationPatience = 50
    /// Purges that go into the log at once, of those that were done beside it.
    private static let mostLogged = 256

    /// Tells of what a dry run would choose; other nodes are not asked.
    func count(_ selection: EntrySelection, at now: Int64, _ completion: @escaping (PurgeReport) -> Void) {
        let confined = Confined(completion, to: loop)
        cache.purge(selection, .dryRun, at: now) { count in
            confined.execute { $0(PurgeReport(purged: count, replication: .unlogged, missing: [], nodes: 1)) }
        }
    }

    /// Writes a purge to the log, as far as there is one.
    func announce(_ record: PurgeRecord, _ completion: @escaping (PurgeReport) -> Void) {
        var commands = [entry(record), RESPCommand("INFO", "replication")]
        if hasReplica { commands.insert(RESPCommand("WAIT", "1", "\(Self.replicationPatience)"), at: 1) }
        let deadline = loop.now + settings.purgePatience
        connection.send(commands, timeout: settings.patience) { [weak self] replies in
            guard let self else { return }
            if let code = replies?.first?.errorCode { log("purge log: a purge was not taken: \(code)") }
            let position = replies?.first?.bytes.flatMap { LogPosition($0) }
            let replication = position == nil ? .unlogged : Self.replication(replies ?? [])
            begin(record, position, replication, deadline, completion)
        }
    }

    private func entry(_ record: PurgeRecord) -> RESPCommand {
        RESPCommand([Array("XADD".utf8), keys.purges, Array("*".utf8)] + record.fields)
    }

    private static func replication(_ replies: [RESPReply]) -> PurgeReport.Replication {
        if replies.count > 1, let count = replies[1].number, count > 0 { return .acknowledged }
        return replies.last.flatMap { EngineHistory($0) }?.replicas == 0 ? .noReplica : .missed
    }

    private func begin(
        _ record: PurgeRecord, _ position: LogPosition?, _ replication: PurgeReport.Replication, _ deadline: Instant,
        _ completion: @escaping (PurgeReport) -> Void
    ) {
        // This node may have taken the engine for away: what was purged elsewhere meanwhile is done
        // before this one, or who purges here would take this node for up to date.
        if position != nil, hasBegun { noteAnswered() }
        purgeCount += 1
        waits.append(
            PurgeWait(
                number: purgeCount, record: record, position: position, epoch: state.fence?.epoch,
                replication: replication, deadline: deadline, completion: completion))
        loop.schedule(at: deadline) { [weak self] in self?.settle() }
        wake()
        settle()
        beat()
    }

    /// Takes all that wait a step further, if there is one. To be called whenever something has
    /// changed that they wait for.
    func settle() {
        var finished: [PurgeWait] = []
        for index in waits.indices.reversed() {
            let wait = waits[index]
            let isAwaitingOthers = !registry.knowsOthers || missing(wait).contains(where: \.isAlive)
            let isAhead = wait.position.map { $0 > state.position } ?? false
            switch wait.step(
                isFollowing: isConnected, isAhead: isAhead, isAwaitingOthers: isAwaitingOthers, now: loop.now)
            {
            case .wait: break
            case .purgeDirectly:
                waits[index].own = .applying
                purgeDirectly(wait)
            case .report: finished.append(waits.remove(at: index))
            }
        }
        for wait in finished.reversed() { wait.completion(report(of: wait)) }
    }

    private func purgeDirectly(_ wait: PurgeWait) {
        // Before the cache is: what it loses must not come back from the tier.
        if knowledge.remember(.init(number: wait.number, record: wait.record, position: wait.position)) {
            for index in waits.indices where waits[index].number == wait.number { waits[index].isWidened = true }
            log("purge log: too many purges are not in it: others will purge everything (soft) in place of the latest")
        }
        let confined = Confined(self, to: loop)
        // What came since it was asked for may be older all the same.
        let now = max(wait.record.at, clock() / 1000)
        cache.purge(wait.record.selection, wait.record.mode, at: now) { [number = wait.number] count in
            confined.execute { follower in
                guard let index = follower.waits.firstIndex(where: { $0.number == number }) else { return }
                follower.waits[index].own = .done(count)
                follower.settle()
            }
        }
    }

    /// Purges that were done beside the log go into it behind all that it has, and again until they
    /// are read there: other nodes hear of them, and the tier is good again for what they chose.
    func logWhatIsBeside() {
        let beside = knowledge.beside.prefix(Self.mostLogged)
        guard !beside.isEmpty, lastLogging.map({ loop.now - $0 >= settings.heartbeat }) ?? true else { return }
        lastLogging = loop.now
        connection.send(beside.map { entry($0.record) }, timeout: settings.patience) { [weak self] replies in
            guard let self, !isClosed, let replies else { return }
            for (purge, reply) in zip(beside, replies) {
                if let position = reply.bytes.flatMap({ LogPosition($0) }) {
                    knowledge.logged(purge.number, at: position)
                }
            }
            wake()
        }
    }

    func report(of wait: PurgeWait) -> PurgeReport {
        let purged: Int? = if case .done(let count) = wait.own { count } else { nil }
        return PurgeReport(
            purged: purged, replication: wait.replication, missing: missing(wait).map(\.node),
            nodes: registry.knowsOthers
                ? registry.nodes(mark: nil, isReady: false, tail: tail, now: loop.now).count : nil,
            isWidened: wait.isWidened)
    }

    private func missing(_ wait: PurgeWait) -> [(node: PurgeReport.MissingNode, isAlive: Bool)] {
        let mark = wait.epoch.flatMap { epoch in wait.position.map { LogMark(epoch, $0) } }
        return registry.missing(mark, now: loop.now)
    }
}
