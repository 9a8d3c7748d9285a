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

    /// Whether a stored answer is better than one of this status: the origin asks for patience, or
    /// is in trouble (RFC 5861 4, APPLE-MUSIC-API 10.1).
    static func standsIn(forStatus status: Int) -> Bool {
        status == 429 || status >= 500
    }
}
