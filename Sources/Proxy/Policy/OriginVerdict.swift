/// Fate of the origin's answer, decided from its head alone: the same for an answer that
/// came whole and for one that is too large to be collected.
enum OriginVerdict: Equatable {
    /// A 401 is about the developer token (APPLE-MUSIC-API 2.2.4): with another one the request is
    /// worth one more try.
    case renewToken
    /// The stored answer is still right (RFC 9111 4.3.3).
    case confirm
    /// It answers something that was not asked.
    case refuse
    /// It is the answer.
    case accept

    /// Facts on which a verdict depends, beside the status.
    struct Facts {
        /// The proxy sent a token of its own, and has not tried another one yet. Never so for a
        /// write: Apple answers some of them 401 whatever the token is.
        var canRenewToken = false
        /// The proxy sent the validators of what it holds.
        var validates = false
        /// The client's own precondition went along, which 304 may answer.
        var isConditional = false
        /// The client's range went along, which 206 may answer.
        var asksForRange = false
    }

    static func of(status: Int, _ facts: Facts) -> OriginVerdict {
        switch status {
        case 401 where facts.canRenewToken: .renewToken
        case 304 where facts.validates: .confirm
        case 304 where !facts.isConditional, 206 where !facts.asksForRange: .refuse
        default: .accept
        }
    }

    /// Whether a stored answer is better than one of this status: the origin asks for patience, or
    /// is in trouble (RFC 5861 4, APPLE-MUSIC-API 10.1).
    static func standsIn(forStatus status: Int) -> Bool {
        status == 429 || status >= 500
    }
}
