import HTTP
import Proxy

/// The figures of a run while it goes on. Counting allocates nothing but for failures and new
/// slots.
struct ReplayTally: Sendable {
    private(set) var sent = 0
    private(set) var answered = 0
    private(set) var failed = 0
    private(set) var corrected = Histogram()
    private var uncorrected = Histogram()
    private var withoutLag = Histogram()
    private(set) var lag = Histogram()
    private var resets = 0
    private var bytes = 0
    private var statuses = [Int](repeating: 0, count: 1000)
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
    private var failures: [String: Int] = [:]
    private var timeline: ReplayTimeline
    private(set) var kept = KeptAnswers()

    /// - Parameter length: of the run, as far as it is known.
    init(expecting length: Duration?) {
        timeline = ReplayTimeline(expecting: length)
    }

    /// A request has gone to a connection.
    mutating func noteSent(at now: Int64) {
        sent += 1
        timeline.noteSent(at: now)
    }

    /// How late the generator was with a request.
    mutating func noteLag(_ nanoseconds: Int64) {
        lag.record(nanoseconds: nanoseconds)
    }

    /// A request has gone out a second time.
    mutating func noteReset() { resets += 1 }

    /// In nanoseconds.
    struct Latencies {
        let corrected: Int64
        let uncorrected: Int64
        let withoutLag: Int64
    }

    /// An answer is whole.
    mutating func noteAnswer(_ reader: AnswerReader, _ latencies: Latencies, at now: Int64) {
        answered += 1
        bytes += reader.length
        statuses[min(reader.status, 999)] += 1
        corrected.record(nanoseconds: latencies.corrected)
        uncorrected.record(nanoseconds: latencies.uncorrected)
        withoutLag.record(nanoseconds: latencies.withoutLag)
        let (outcome, isStored) = reader.caching
        if let outcome { outcomes[outcome.rawValue] += 1 }
        kept.note(outcome, isStored: isStored, isRefusal: reader.isRefusal)
        timeline.noteAnswer(latency: latencies.corrected, side: outcome?.side, at: now)
    }

    mutating func noteFailure(_ reason: String, at now: Int64) {
        failed += 1
        failures[reason, default: 0] += 1
        timeline.noteFailure(at: now)
    }

    /// Writes what was counted into a result.
    mutating func fill(_ result: inout ReplayResult) {
        timeline.fill(&result)
        result.sent = sent
        result.answered = answered
        result.failures = failures
        result.resets = resets
        result.bytesReceived = bytes
        for (status, count) in statuses.enumerated() where count > 0 { result.statuses[status] = count }
        for outcome in Outcome.allCases where outcomes[outcome.rawValue] > 0 {
            result.outcomes[outcome.name] = outcomes[outcome.rawValue]
        }
        (result.corrected, result.uncorrected, result.lag) = (corrected, uncorrected, lag)
        result.withoutLag = withoutLag
    }
}
