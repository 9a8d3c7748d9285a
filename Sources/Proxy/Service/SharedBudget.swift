import EventLoop
import Store
import Tier
import Upstream

/// Keeps the upstream budget of this process at one with those of the other nodes, through the
/// shared tier. Confined to the loop of its connection.
///
/// Must hold:
/// - the engine is asked four times a second while requests leave, so that a limit that another
///   node has met is known here a quarter of a second later, and an engine that was away is found
///   again; an idle node asks once a second;
/// - as many nodes are taken to be alive as share the budget.
final class SharedBudget {
    private let budget: UpstreamBudget
    private let nodes: NodeCount
    private let loop: EventLoop
    private var timer: TimerToken?

    private static let pollInterval = Duration.milliseconds(250)

    /// Begins to ask. The connection stays its owner's to close; without it the budget goes on
    /// alone.
    init(
        _ budget: UpstreamBudget, over connection: TierConnection, _ settings: TierSettings,
        at origin: @escaping () -> OriginTag = { .none }, nodes: NodeCount, loop: EventLoop
    ) {
        loop.assertOnLoop()
        (self.budget, self.nodes, self.loop) = (budget, nodes, loop)
        let script = Confined(TierBudget(connection, settings, at: origin), to: loop)
        budget.share { question, completion in script.perform { $0.ask(question, completion) } }
        poll()
    }

    /// No more polls: an engine that goes away now is not found again.
    func stop() {
        loop.assertOnLoop()
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func poll() {
        nodes.alive = budget.nodes
        budget.poll(now: loop.now)
        timer = loop.schedule(after: Self.pollInterval) { [weak self] in self?.poll() }
    }
}
