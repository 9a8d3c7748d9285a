/// What becomes of the origin's answer, decided from its head alone: the same for an answer that came whole and for one that
/// is too large to be collected.
enum Verdict: Equatable {
    /// A 401 is about the developer token (API.md 2): with another one the request is worth one more try.
    case renewToken
    /// The origin cannot answer now; the stale answer can.
    case standIn
    /// It answers something that was not asked.
    case refuse
    /// The client gets it.
    case relay

    /// What a verdict depends on, beside the status.
    struct Facts {
        /// The proxy sent a token of its own, and has not tried another one yet.
        var canRenewToken = false
        /// A stale answer is at hand.
        var hasFallback = false
        /// The request carried a precondition, which 304 may answer.
        var isConditional = false
        /// The request asked for a range, which 206 may answer.
        var asksForRange = false
    }

    static func of(status: Int, _ facts: Facts) -> Verdict {
        switch status {
        case 401 where facts.canRenewToken: .renewToken
        case 304 where !facts.isConditional, 206 where !facts.asksForRange: .refuse
        case 429 where facts.hasFallback, 500... where facts.hasFallback: .standIn
        default: .relay
        }
    }
}
