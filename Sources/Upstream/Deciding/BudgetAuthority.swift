import EventLoop

/// Keeps one budget for all nodes that share it: learns its limit from the 429s of all of them, and
/// grants tokens by a clock of its own. Asked from any thread, it answers exactly once, perhaps at
/// once, on any thread; with nil where it does not answer: the report is then taken as lost.
///
/// It is asked where a limit is known or met, and by `UpstreamBudget.poll` otherwise: while there
/// is no limit a request costs nothing.
package typealias BudgetAuthority =
    @Sendable (
        _ question: BudgetQuestion, _ completion: @escaping @Sendable (BudgetAnswer?) -> Void
    ) -> Void

/// A node's report to the authority, and how many requests it wants to send.
package struct BudgetQuestion: Sendable, Equatable {
    /// Requests that could start but for the limit; 0 for a mere report.
    package var tokens = 0
    /// Whether no client waits for them: then they are granted only when none is granted ahead.
    package var isBackground = false
    /// Answers other than 429 since the last question.
    package var answered = 0
    /// Answers that came while the limit held requests back, of `answered`.
    package var answeredWhileBound = 0
    /// 429s since the last question.
    package var refused = 0
    /// How long ago the request left that was the last to leave of those with a 429.
    package var refusedAge: Duration = .zero
    /// Requests a second of all nodes that the operator allows; nil for any number.
    package var ceiling: Double?
    /// The limit that this node was told last, for an authority that has lost its memory.
    package var known: Double?
}

/// The authority's reply.
package struct BudgetAnswer: Sendable, Equatable {
    /// Requests a second that the origin has been found to bear from all nodes together; nil while
    /// it has refused none for long.
    var limit: Double?
    /// How many tokens are granted, one after the other at the pace of the limit.
    var granted = 0
    /// Until the first of them may be spent; where none is granted, until another try is worth it.
    var wait: Duration = .zero
    /// Nodes that share the budget just now, this one included.
    var nodes = 1

    package init(limit: Double? = nil, granted: Int = 0, wait: Duration = .zero, nodes: Int = 1) {
        (self.limit, self.granted, self.wait, self.nodes) = (limit, granted, wait, nodes)
    }
}
