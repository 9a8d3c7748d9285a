import EventLoop
import Store

// The state of a node, for its owner and the operator.

extension FollowerState {
    /// When `woken` is to be told; nil where nothing is waited for.
    var wakeAt: Instant? {
        [pauseUntil, heartbeat.dueAt, asked.nextDeadline(after: moment.now)].compactMap { $0 }.min()
    }

    /// The log mark of a fetch that begins now; nil while no log is known.
    var logMark: LogMark? { phase == .closed ? nil : log.logMark }

    /// Whether values of the tier can be judged.
    var mayTake: Bool { phase != .closed && log.mayTake }

    func status(at now: Instant) -> SharingStatus {
        var status = SharingStatus()
        guard phase != .closed else { return status }
        // One that was never ready has yet to become so, whatever it waits for.
        status.readiness = isFollowing || isConnected && !log.wasReady ? log.readiness : .away
        status.awaySince = status.readiness == .away ? awaySince : nil
        status.namesake = registry.namesake
        status.lag = tail.count(beyond: log.position)
        status.skew = registry.skew
        status.nodes = registry.nodes(
            mark: log.logMark, isReady: status.readiness == .ready, tail: tail, now: now)
        return status
    }
}
