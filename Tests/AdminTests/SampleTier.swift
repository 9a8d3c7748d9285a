import EventLoop

@testable import Admin
@testable import Tier

extension TierFigures {
    /// Figures of two loops, one of which has given the engine up, and of three nodes: this one,
    /// one that catches up, and a silent one with a hostile address.
    static var sample: TierFigures {
        var (one, other) = (TierStatus(), TierStatus())
        one.endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: 6379)
        (one.commands, one.latencySum, one.latencyCount) = (20, .milliseconds(30), 10)
        (other.commands, other.failures, other.timeouts, other.reconnects) = (7, 5, 4, 1)
        (other.isBreakerOpen, other.lastError, other.waiting) = (true, "timeout", 2)
        (other.latencySum, other.latencyCount) = (.milliseconds(6), 2)
        var sharing = SharingStatus()
        (sharing.standing, sharing.lag, sharing.skew) = (.ready, 3, .milliseconds(-1500))
        sharing.nodes = [
            NodeState(
                name: "a", address: "127.0.0.1:8080", version: "1.0", isReady: true, lag: 0, lastSeen: 0,
                isAlive: true, isSelf: true),
            NodeState(
                name: "b", address: "127.0.0.2:8080", version: "1.1", isReady: false, lag: 3, lastSeen: 1,
                isAlive: true, isSelf: false),
            NodeState(
                name: "c", address: "<b>c</b>", version: "1.0", isReady: true, lag: nil, lastSeen: 100,
                isAlive: false, isSelf: false),
        ]
        return TierFigures(
            counts: [.looks: 10, .taken: 6, .waited: 2, .put: 3, .unanswered: 1], connections: [one, other],
            sharing: sharing, isReady: true)
    }
}
