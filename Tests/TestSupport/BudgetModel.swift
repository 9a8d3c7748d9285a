/// The engine's budget script in Swift, for simulations without an engine. A test compares it with
/// the script, number by number. Times are microseconds.
public struct BudgetModel: Sendable, Equatable {
    public struct Question: Sendable {
        public var tokens = 0
        public var isBackground = false
        public var answered = 0.0
        public var bound = 0.0
        public var refused = 0.0
        public var age = 0.0
        public var ceiling = 0.0
        public var known = 0.0

        public init() {}
    }

    public struct Answer: Sendable, Equatable {
        public var limit: Double
        public var granted: Int
        public var wait: Int
        public var nodes: Int

        public init(limit: Double, granted: Int, wait: Int, nodes: Int) {
            (self.limit, self.granted, self.wait, self.nodes) = (limit, granted, wait, nodes)
        }
    }

    private var isNew = true
    private var (rate, growth, isFirst) = (0.0, 0.0, false)
    private var (lowered, calm, grown, next) = (0.0, 0.0, 0.0, 0.0)
    private var (second, answered, answeredBefore, refused, refusedBefore) = (0.0, 0.0, 0.0, 0.0, 0.0)
    private var seen: [String: Double] = [:]

    public init() {}

    public mutating func ask(_ question: Question, node: String, now: Double) -> Answer {
        let nodes = count(node, now)
        if isNew, question.known > 0 {
            (rate, growth) = (question.known, min(0.0007 + 0.0001 * question.known, 0.01))
            (lowered, grown) = (now, now)
        }
        isNew = false
        (lowered, grown) = (min(lowered, now), min(grown, now))
        if let pace = pace(question) {
            let furthest = now + 1_000_000 + 4 * (nodes + 1) * 1_000_000 / pace
            (next, calm) = (min(next, furthest), min(calm, furthest))
        }
        let (succeeded, failed) = recent(question, now)
        learn(question, succeeded, failed, now)
        var (granted, wait) = (0.0, 0.0)
        if let pace = pace(question), question.tokens > 0 {
            if question.isBackground, next > now {
                wait = next - now
            } else {
                granted = max(1, min(Double(question.tokens), (pace / 4 / nodes).rounded(.down)))
                let first = max(next, now - 20_000)
                (next, wait) = (first + granted * 1_000_000 / pace, max(0, first - now))
            }
        }
        return Answer(limit: rate, granted: Int(granted), wait: Int(wait.rounded(.up)), nodes: Int(nodes))
    }

    private func pace(_ question: Question) -> Double? {
        let pace = question.ceiling > 0 && (rate == 0 || question.ceiling < rate) ? question.ceiling : rate
        return pace > 0 ? pace : nil
    }

    private mutating func count(_ node: String, _ now: Double) -> Double {
        if let at = seen[node], at <= now, now - at <= 1_000_000 { return Double(seen.count) }
        seen[node] = now
        seen = seen.filter { $0.value >= now - 3_000_000 && $0.value <= now }
        return Double(seen.count)
    }

    private mutating func recent(_ question: Question, _ now: Double) -> (succeeded: Double, failed: Double) {
        let this = (now / 1_000_000).rounded(.down)
        if this != second {
            let follows = this == second + 1
            (answeredBefore, refusedBefore) = follows ? (answered, refused) : (0, 0)
            (second, answered, refused) = (this, 0, 0)
        }
        answered += question.answered
        refused += question.refused
        let rest = 1 - (now / 1_000_000 - this)
        return (answered + answeredBefore * rest, refused + refusedBefore * rest)
    }

    private mutating func learn(_ question: Question, _ succeeded: Double, _ failed: Double, _ now: Double) {
        let quiet = now - lowered
        if quiet >= 600_000_000 { rate = 0 }
        if rate > 0, question.answered > 0 {
            if isFirst, quiet < 1_000_000 { rate = max(rate, succeeded) }
            if question.bound > 0, quiet > 300_000 {
                if now - grown > 25_000_000 { (growth, grown) = (min(0.2, growth * 2), now) }
                rate += growth * question.bound
            }
        }
        guard question.refused > 0, rate == 0 || now - question.age >= calm else { return }
        if rate == 0 {
            (rate, growth, isFirst) = (max(4, succeeded), 0.2, true)
        } else {
            var step = min(max(1.5 * growth, 0.05), 0.3)
            if quiet < 3_000_000 { step = min(2 * step, 0.3) }
            var lower = min(rate, succeeded + failed + 1) * (1 - step)
            if 3 * failed > succeeded + 6 { lower = min(lower, max(1, succeeded)) }
            growth = max(min(0.0007 + 0.0001 * rate, 0.01), growth / 4)
            (rate, isFirst) = (max(0.1, lower), false)
        }
        (lowered, grown, calm) = (now, now, max(now + 1_000_000, next))
    }
}
