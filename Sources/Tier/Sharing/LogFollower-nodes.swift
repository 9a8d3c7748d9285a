import EventLoop

// Signs of life: every two seconds, after what was purged, and often while a purge waits for other
// nodes. What the engine answers to them is also how it is known to be there.

extension LogFollower {
    /// Gives a sign of life; where one is on its way, another behind it.
    func beat() {
        guard hasBegun, !isClosed, !hasLeft else { return }
        stopBeating()
        guard !isBeating else {
            isBeatDue = true
            return
        }
        isBeatDue = false
        isBeating = true
        let isReady = isConnected && state.standing == .ready
        let commands = registry.heartbeat(keys, mark: state.fence, isReady: isReady, now: loop.now)
        connection.send(commands, timeout: settings.patience) { [weak self] replies in
            guard let self else { return }
            isBeating = false
            guard !isClosed else { return }
            if let replies { noteSigns(replies) } else { noteUnanswered() }
            // The time that has passed since others were heard of is told without an engine too.
            publish()
            if replies != nil, isBeatDue { beat() } else { scheduleBeat() }
        }
    }

    private func noteSigns(_ replies: [RESPReply]) {
        let isFirst = !registry.knowsTime
        let namesake = registry.take(replies, wall: clock(), now: loop.now)
        if let namesake {
            log(
                """
                purge log: another process (\(namesake.process) at \(namesake.address)) is a node of this name, \
                \(registry.own.name): each node needs a name of its own
                """)
        }
        if let code = replies.lazy.compactMap(\.errorCode).first { noteRefusal(code) } else { refusal = nil }
        noteAnswered()
        logWhatIsBeside()
        trimIfDue()
        settle()
        if isFirst, registry.knowsTime { isBeatDue = true }
    }

    /// The engine takes no signs of life: other nodes will not know of this one.
    private func noteRefusal(_ code: String) {
        if refusal != code { log("purge log: the engine does not list this node: \(code)") }
        refusal = code
    }

    func scheduleBeat() {
        guard !isBeating, !isClosed, !hasLeft, beatTimer == nil else { return }
        let usual = isConnected ? settings.heartbeat : settings.pause
        beatTimer = loop.schedule(after: waits.isEmpty ? usual : settings.hastyHeartbeat) { [weak self] in
            self?.beatTimer = nil
            self?.beat()
        }
    }

    func stopBeating() {
        if let beatTimer { loop.cancel(beatTimer) }
        beatTimer = nil
    }
}

// MARK: Trimming

extension LogFollower {
    private static let trimInterval: Duration = .seconds(3_600)

    /// Takes out of the log what is older than the horizon, but for the newest entry of that age:
    /// a node that has read all of the log stands at that one or behind it, however seldom anything
    /// is purged (`PurgeLogState`).
    private func trimIfDue() {
        guard state.standing == .ready, lastTrim.map({ loop.now - $0 >= Self.trimInterval }) ?? true,
            let time = registry.engineTime(loop.now)
        else { return }
        lastTrim = loop.now
        let end = time - settings.horizon.wholeNanoseconds / 1_000_000 - 1
        guard end > 0 else { return }
        let newest = ["\(end)", "-", "COUNT", "1"].map { Array($0.utf8) }
        connection.send([RESPCommand([Array("XREVRANGE".utf8), keys.purges] + newest)], timeout: settings.patience) {
            [weak self] replies in
            guard let self, !isClosed, let entry = replies?.first?.elements?.first,
                let id = entry.elements?.first?.bytes, LogPosition(id) != nil
            else { return }
            connection.send(
                [RESPCommand([Array("XTRIM".utf8), keys.purges, Array("MINID".utf8), id])], timeout: settings.patience
            ) { _ in }
        }
    }
}
