import EventLoop
import Tier
import Upstream

/// Keeps the upstream budget of this process at one with those of the other nodes, through the
/// shared tier. Confined to the loop of its connection.
///
/// Must hold:
/// - the engine is asked four times a second at least, so that a limit that another node has met is
///   known here a quarter of a second later, and an engine that was away is found again;
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
        _ budget: UpstreamBudget, over connection: TierConnection, _ settings: TierSettings, nodes: NodeCount,
        loop: EventLoop
    ) {
        loop.assertOnLoop()
        (self.budget, self.nodes, self.loop) = (budget, nodes, loop)
        budget.share(with: TierAuthority(Confined(TierBudget(connection, settings), to: loop)))
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

/// The budget script of the engine, for gates on any loop.
private struct TierAuthority: BudgetAuthority {
    private let script: Confined<TierBudget>

    init(_ script: Confined<TierBudget>) { self.script = script }

    func ask(_ question: BudgetQuestion, _ completion: @escaping @Sendable (BudgetAnswer?) -> Void) {
        let asked = BudgetScript.Question(question)
        script.perform { $0.ask(asked) { completion($0.map { BudgetAnswer($0) }) } }
    }
}

extension BudgetScript.Question {
    fileprivate init(_ question: BudgetQuestion) {
        self.init()
        (tokens, isBackground) = (question.tokens, question.isBackground)
        (answered, answeredWhileBound) = (question.answered, question.answeredWhileBound)
        (refused, refusedAge) = (question.refused, Int(question.refusedAge.wholeNanoseconds / 1000))
        (ceiling, known) = (question.ceiling ?? 0, question.known ?? 0)
    }
}

extension BudgetAnswer {
    fileprivate init(_ answer: BudgetScript.Answer) {
        self.init(
            limit: answer.limit > 0 ? answer.limit : nil, granted: answer.granted,
            wait: .nanoseconds(Int64(clamping: answer.wait) * 1000), nodes: answer.nodes)
    }
}
