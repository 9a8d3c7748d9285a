// Which clients are walking through a list: they ask for the very offset at which an answer said that the list goes on. Pure.
// Must hold: bounded, and what is forgotten costs a request that is not made ahead, nothing else.

/// The continuations that were handed out lately by one loop.
struct Walks {
    private struct Step: Hashable {
        let list: UInt64
        let offset: Int
    }

    private var steps: Set<Step> = []
    private var order: [Step] = []
    private var oldest = 0

    static let maxSteps = 512

    /// An answer said that the list goes on there.
    mutating func handOut(_ list: UInt64, offset: Int) {
        let step = Step(list: list, offset: offset)
        guard steps.insert(step).inserted else { return }
        if order.count < Self.maxSteps { return order.append(step) }
        steps.remove(order[oldest])
        order[oldest] = step
        oldest = (oldest + 1) % Self.maxSteps
    }

    /// Whether a request for this offset goes on where an answer ended.
    func isStep(_ list: UInt64, offset: Int) -> Bool {
        steps.contains(Step(list: list, offset: offset))
    }
}
