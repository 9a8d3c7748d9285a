import Proxy

/// Counts of answers by whether the cache says that it stores them.
struct KeptAnswers: Sendable, Equatable {
    /// Fetched for this request, and the cache says that it stores the answer.
    private(set) var stored = 0
    /// The cache had the answer, or could compose it.
    private(set) var present = 0
    /// The cache says that it does not store the answer.
    private(set) var notStored = 0
    /// Answers from which no outcome can be read, such as those without `Cache-Status`.
    private(set) var unknown = 0
    /// Answers of 429 and 503.
    private(set) var refusals = 0

    /// Answers that were no refusals: each is in exactly one of the other counts.
    var asked: Int { stored + present + notStored + unknown }

    /// - Parameter outcome: nil where the answer says none.
    mutating func note(_ outcome: Outcome?, isStored: Bool, isRefusal: Bool) {
        switch outcome?.side {
        case _ where isRefusal: refusals += 1
        case _ where isStored: stored += 1
        case .hit: present += 1
        case .miss, .neither: notStored += 1
        case nil: unknown += 1
        }
    }
}
