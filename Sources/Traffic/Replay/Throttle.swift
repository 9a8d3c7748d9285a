// The pace of a warming. Pure: times in nanoseconds since the start.
//
// Must hold:
// - two requests are never closer than the pace, so a delay is not followed by a burst;
// - a refusal (429, 503) stops all sending for the time that it names and halves the pace;
// - a warming ends after `mostRefusals` refusals, `mostFailures` failures or `mostDenials` 401s in
//   a row, or a refusal that names more than `longestPause`.

struct Throttle: Sendable {
    /// Why a warming ends early.
    enum Stop: Equatable {
        case refused(times: Int)
        case toldToWait(seconds: Int)
        case failed(times: Int)
        case denied(times: Int)

        var sentence: String {
            switch self {
            case .refused(let times):
                "the target refused \(times) times in a row (429 or 503); try again later, or with a lower --rate"
            case .toldToWait(let seconds): "the target requires a wait of \(seconds) s (Retry-After)"
            case .failed(let times): "\(times) requests in a row got no answer"
            case .denied(let times):
                "\(times) requests in a row got a 401; name a file with the client key by --header-file"
            }
        }
    }

    static let mostRefusals = 5
    static let mostFailures = 5
    static let mostDenials = 5
    static let longestPause: Int64 = 300_000_000_000
    /// First pause after a refusal that names none; doubled by each further one.
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
    private var denialsInARow = 0
    private(set) var stop: Stop?

    init(_ rate: RequestRate) { spacing = rate.spacing }

    mutating func noteSent(at now: Int64) { opensAt = now + spacing }

    /// - Parameter isDenied: whether it is a 401, which fills no cache.
    mutating func noteAnswer(isDenied: Bool) {
        (refusalsInARow, failuresInARow) = (0, 0)
        denialsInARow = isDenied ? denialsInARow + 1 : 0
        if denialsInARow >= Self.mostDenials { stop = .denied(times: denialsInARow) }
    }

    /// - Parameter seconds: from Retry-After; nil without one.
    mutating func noteRefusal(retryAfter seconds: Int?, at now: Int64) {
        denialsInARow = 0
        // Refusals during a pause answer requests sent before it: they count as one.
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

    /// A request got no whole answer, or no connection opened.
    mutating func noteFailure(at now: Int64) {
        failuresInARow += 1
        denialsInARow = 0
        if failuresInARow >= Self.mostFailures { stop = .failed(times: failuresInARow) }
        opensAt = max(opensAt, now + 1_000_000_000)
    }
}
