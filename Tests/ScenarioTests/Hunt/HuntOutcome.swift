/// Counts and findings of a hunt.
struct HuntOutcome: Sendable, CustomStringConvertible {
    /// A fault, with the history of its URL.
    struct Finding: Sendable {
        let rule: HuntFault.Rule
        let text: String
    }

    var answers = 0
    /// Those whose content was compared.
    var judged = 0
    /// Answers of the cache that are of an earlier second.
    var aged = 0
    var composed = 0
    var stale = 0
    var heads = 0
    var unchanged = 0
    var parts = 0
    var failures = 0
    var purges = 0
    var restarts = 0
    var fetched = 0
    var findings: [Finding] = []
    var differing = 0

    mutating func note(_ reply: HuntReply, _ manner: HuntManner, isJudged: Bool) {
        answers += 1
        if isJudged { judged += 1 }
        if reply.status >= 500 { failures += 1 }
        if let age = reply.age, age > 0 { aged += 1 }
        if reply.isComposed { composed += 1 }
        if reply.isStale { stale += 1 }
        switch (reply.status, manner) {
        case (304, _): unchanged += 1
        case (206, _): parts += 1
        case (_, .head): heads += 1
        default: break
        }
    }

    var description: String {
        """
        \(answers) answers, \(judged) compared, \(differing) differing; \(fetched) fetched, \(aged) aged, \
        \(composed) composed, \(stale) stale, \(unchanged) unchanged, \(parts) in part, \(heads) heads, \
        \(failures) failures, \(purges) purges, \(restarts) restarts
        """
    }
}
