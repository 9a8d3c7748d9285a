import Cache
import EventLoop

// Performs what `PurgeLogState` asks for.

extension LogFollower {
    /// The disk has told how far this node came in an earlier run; nil where it has nothing to
    /// tell.
    func begin(_ kept: String?) {
        guard !isClosed else { return }
        state = PurgeLogState(kept: kept.flatMap { LogMark($0.utf8) })
        hasBegun = true
        tell { _ in [] }
        beat()
    }

    /// Tells the state of something; what it asks for then is performed in order, without
    /// recursion. What that brings about is told behind it.
    func tell(_ event: (inout PurgeLogState) -> [PurgeLogState.Action]) {
        guard !isClosed else { return }
        actions += event(&state)
        guard !isPerforming else { return }
        isPerforming = true
        while !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
        knowledge.stand(fence: state.fence, mayTake: state.mayTake)
        publish()
    }

    private func perform(_ action: PurgeLogState.Action) {
        switch action {
        case .read(let position): read(after: position)
        case .beginHistory(let epoch, let until):
            // Nobody may judge by a history whose purges are still to be noted.
            knowledge.stand(fence: state.fence, mayTake: false)
            knowledge.begin(epoch, forgottenUntil: until)
        case .note(let entry): knowledge.note(entry)
        case .apply(let entry): apply(entry)
        case .makeAllStale(let reason): makeAllStale(reason)
        case .persist(let mark):
            cache.keep(mark.text, as: Self.fact)
            // Those who wait for this node hear of it.
            beat()
        case .wait: pause()
        }
    }

    /// The engine has answered.
    func noteAnswered() {
        guard !isConnected, !isClosed else { return }
        isConnected = true
        tell { $0.connected() }
    }

    /// The engine does not answer, or not what was asked for. `beat` finds out when it does.
    func noteUnanswered() {
        reading += 1
        guard isConnected, !isClosed else { return }
        (isConnected, awaySince) = (false, clock() / 1000)
        tell { state in
            state.disconnected()
            return []
        }
        settle()
        // What was scheduled is later than it need be now.
        stopBeating()
        scheduleBeat()
    }
}

// MARK: Reading

extension LogFollower {
    private func read(after position: LogPosition) {
        reading += 1
        let number = reading
        connection.send(PurgeLogQuery.commands(keys, after: position), timeout: settings.patience) {
            [weak self] replies in
            guard let self, number == reading, !isClosed else { return }
            guard let replies else { return noteUnanswered() }
            if let history = replies.last?.elements?.last.flatMap({ EngineHistory($0) }) {
                hasReplica = history.replicas > 0
            }
            switch PurgeLogQuery.answer(replies) {
            case .page(let page): take(page)
            case .noEpoch: beginLog(then: position)
            case .unusable(let reason): complain(reason)
            }
        }
    }

    private func take(_ page: PurgeLogPage) {
        complaint = nil
        for entry in page.entries { tail.note(entry.position) }
        tell { $0.read(page) }
    }

    private func beginLog(then position: LogPosition) {
        connection.send([PurgeLogQuery.beginning(keys)], timeout: settings.patience) {
            [weak self, number = reading] replies in
            guard let self, number == reading, !isClosed else { return }
            guard let reply = replies?.first else { return noteUnanswered() }
            // Nil is the reply where another node was faster.
            if let code = reply.errorCode { complain(code) } else { read(after: position) }
        }
    }

    /// A page cannot be read, and nobody knows when that changes.
    private func complain(_ reason: String) {
        if complaint != reason { log("purge log: cannot be read: \(reason); trying again") }
        complaint = reason
        noteUnanswered()
    }

    private func pause() {
        stopPausing()
        pauseTimer = loop.schedule(after: settings.pause) { [weak self] in
            self?.pauseTimer = nil
            self?.tell { $0.woken() }
        }
    }

    func stopPausing() {
        if let pauseTimer { loop.cancel(pauseTimer) }
        pauseTimer = nil
    }

    /// The log is known to have grown.
    func wake() { tell { $0.woken() } }
}

// MARK: The cache

extension LogFollower {
    private func apply(_ entry: PurgeLogEntry) {
        knowledge.note(entry)
        for index in waits.indices where waits[index].position == entry.position { waits[index].own = .applying }
        if !entry.record.isUnderstood {
            log("purge log: \(entry.position) is of a later version of this program: everything is taken for stale")
        }
        let confined = Confined(self, to: loop)
        // What came since it was asked for may be older all the same.
        let now = max(entry.record.at, clock() / 1000)
        cache.purge(entry.record.selection, entry.record.mode, at: now) { count in
            confined.execute { $0.applied(entry, count) }
        }
    }

    private func applied(_ entry: PurgeLogEntry, _ count: Int?) {
        for index in waits.indices where waits[index].position == entry.position { waits[index].own = .done(count) }
        if let count, entry.record.isUnderstood, entry.record.node != registry.own.name {
            let (entries, mode) = (
                count == 1 ? "1 entry" : "\(count) entries", entry.record.mode == .hard ? "hard" : "soft"
            )
            inform("purged \(entries) (\(mode)), as node \(entry.record.node) was asked: \(entry.record.words)")
        }
        tell { $0.applied(succeeded: count != nil) }
        settle()
    }

    private func makeAllStale(_ reason: LogBreak) {
        tail.forget()
        let confined = Confined(self, to: loop)
        cache.purge(EntrySelection(), .soft, at: clock() / 1000) { count in
            confined.execute { $0.madeStale(reason, count) }
        }
    }

    private func madeStale(_ reason: LogBreak, _ count: Int?) {
        if let count {
            let answers = count == 1 ? "1 stored answer is" : "\(count) stored answers are"
            log("purge log: \(reason.text): \(answers) taken for stale")
        }
        tell { $0.madeStale(succeeded: count != nil) }
        settle()
    }
}
