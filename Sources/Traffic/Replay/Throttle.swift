// The pace of a warming. Pure: times in nanoseconds since the start.
//
// Must hold:
// - two requests are never closer than the pace, however late the one before was, so that nothing
//   is made up for in a burst;
// - a refusal (429, 503) stops all sending for as long as it says and halves the pace from then on;
// - a target is left alone that refuses `mostRefusals` times without an answer between, or asks for
//   longer than `longestPause`, and so is one to which nothing gets through.

struct Throttle: Sendable {
    /// Why a warming ends before all was asked.
    enum Stop: Equatable {
        case refused(times: Int)
        case toldToWait(seconds: Int)
        case failed(times: Int)
    }

    static let mostRefusals = 5
    static let mostFailures = 5
    static let longestPause: Int64 = 300_000_000_000
    /// The first pause after a refusal that names none; each one after it is twice as long.
    static let usualPause: Int64 = 5_000_000_000
    /// The pace is halved down to one request in ten seconds.
    static let slowestSpacing: Int64 = 10_000_000_000

    /// Between two requests, in nanoseconds.
    private(set) var spacing: Int64
    /// When the next request may be sent.
    private(set) var opensAt: Int64 = 0
    /// End of the last refusal's pause.
    private var pauseEnd: Int64 = 0
    private var refusalsInARow = 0
    private var failuresInARow = 0
    private(set) var stop: Stop?

    init(_ rate: RequestRate) { spacing = rate.spacing }

    mutating func noteSent(at now: Int64) { opensAt = now + spacing }

    mutating func noteAnswer() { (refusalsInARow, failuresInARow) = (0, 0) }

    /// - Parameter seconds: that it says to wait; nil where it does not say.
    mutating func noteRefusal(retryAfter seconds: Int?, at now: Int64) {
        // Several refusals of requests that were under way together count as one.
        if now >= pauseEnd {
            refusalsInARow += 1
            spacing = min(2 * spacing, max(spacing, Self.slowestSpacing))
        }
        if let seconds, seconds > Self.longestPause / 1_000_000_000 {
            stop = .toldToWait(seconds: seconds)
        } else if refusalsInARow >= Self.mostRefusals {
            stop = .refused(times: refusalsInARow)
        }
        guard stop == nil else { return }
        let pause = seconds.map { max(1, Int64($0)) * 1_000_000_000 } ?? Self.usualPause << max(0, refusalsInARow - 1)
        pauseEnd = max(pauseEnd, now + pause)
        opensAt = max(opensAt, pauseEnd)
    }

    /// An answer did not come, or not whole, or no connection could be opened.
    mutating func noteFailure(at now: Int64) {
        failuresInARow += 1
        if failuresInARow >= Self.mostFailures { stop = .failed(times: failuresInARow) }
        opensAt = max(opensAt, now + 1_000_000_000)
    }
}

extension Throttle.Stop {
    var sentence: String {
        switch self {
        case .refused(let times):
            "the target refused \(times) times in a row (429 or 503); try again later, or with a lower --rate"
        case .toldToWait(let seconds): "the target requires a wait of \(seconds) s (Retry-After)"
        case .failed(let times): "\(times) requests in a row got no answer"
        }
    }
}
