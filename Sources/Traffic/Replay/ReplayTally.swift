import HTTP
import Proxy

/// The figures of a run while it goes on. Counting allocates nothing but for failures and new
/// slots.
struct ReplayTally: Sendable {
    /// Without statuses, outcomes and slots, which `finish` writes.
    private(set) var result: ReplayResult
    private var statuses = [Int](repeating: 0, count: 1000)
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
    private var timeline: ReplayTimeline
    private(set) var kept = KeptAnswers()

    /// - Parameters:
    ///   - result: without figures.
    ///   - length: of the run, as far as it is known.
    init(_ result: ReplayResult, expecting length: Duration?) {
        self.result = result
        timeline = ReplayTimeline(expecting: length)
    }

    mutating func noteSent(at now: Int64) {
        result.sent += 1
        timeline.noteSent(at: now)
    }

    mutating func noteLag(_ nanoseconds: Int64) {
        result.lag.record(nanoseconds: nanoseconds)
    }

    mutating func noteReset() { result.resets += 1 }

    /// An answer is whole. Times are in nanoseconds.
    mutating func noteAnswer(_ reader: AnswerReader, corrected: Int64, uncorrected: Int64, lag: Int64, at now: Int64) {
        result.answered += 1
        result.bytesReceived += reader.length
        statuses[min(reader.status, 999)] += 1
        result.corrected.record(nanoseconds: corrected)
        result.uncorrected.record(nanoseconds: uncorrected)
        result.withoutLag.record(nanoseconds: corrected - lag)
        let (outcome, isStored) = reader.caching
        if let outcome { outcomes[outcome.rawValue] += 1 }
        kept.note(outcome, isStored: isStored, isRefusal: reader.isRefusal)
        timeline.noteAnswer(latency: corrected, side: outcome?.side, at: now)
    }

    /// How long a request waited that was given up, in nanoseconds.
    struct Wait: Equatable {
        /// Since it was due.
        let corrected: Int64
        /// Since it was sent, or in a closed loop since its connection was dialled; nil: neither.
        let uncorrected: Int64?
        let lag: Int64
    }

    /// A request got no whole answer.
    /// - Parameter wait: of one that timed out: it was slower than that, and a latency without it
    ///   would be one of the fast requests alone.
    mutating func noteFailure(_ reason: String, _ wait: Wait?, at now: Int64) {
        result.failures[reason, default: 0] += 1
        timeline.noteFailure(latency: wait?.corrected, at: now)
        guard let wait else { return }
        result.corrected.record(nanoseconds: wait.corrected)
        result.withoutLag.record(nanoseconds: wait.corrected - wait.lag)
        if let uncorrected = wait.uncorrected { result.uncorrected.record(nanoseconds: uncorrected) }
    }

    /// - Parameter request: may be nil once no more are listed.
    mutating func noteFailed(_ request: FailedRequest?) { result.failedRequests.note(request) }

    mutating func finish() -> ReplayResult {
        timeline.fill(&result)
        for (status, count) in statuses.enumerated() where count > 0 { result.statuses[status] = count }
        for outcome in Outcome.allCases where outcomes[outcome.rawValue] > 0 {
            result.outcomes[outcome.name] = outcomes[outcome.rawValue]
        }
        return result
    }
}
