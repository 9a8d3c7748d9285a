import Freshness
import HTTP

/// The words after the outcome in a line of the log: a condition that asks for another one never
/// holds. REFERENCE.md lists the same ones, held by a test.
enum LogWords {
    static let all: [String] =
        ["hit", "refused", "preflight"] + Reason.allCases.map(\.text)
        + ParseError.allCases.map { $0.reason.lowercased().replacing(" ", with: "-") } + others

    /// Details of the server and of this module, which no table has.
    private static let others = [
        "plain-http", "slow-head", "slow-content", "request-memory", "share-of-request-memory",
        "requests-of-this-address", "target", "user-tokens", "method-override", "preflight-content", "trace", "loop",
        "origin-not-allowed", "method-not-allowed", "header-not-allowed",
    ]
}
