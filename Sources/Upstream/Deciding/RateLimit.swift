import EventLoop
import Text

/// How many requests a second the origin is asked: learnt from its 429s, which come without a
/// figure and without a `Retry-After` (APPLE-MUSIC-API 10.1, 10.3). Pure: events in, answers out.
///
/// Must hold:
/// - without a ceiling there is no limit until a 429 was seen; the first limit is the rate of
///   success just measured, and four at least;
/// - while the limit holds requests back, each success raises it by `growth`; a 429 lowers it by a
///   share, once for each overshoot: the 429s of requests that left less than a second after the
///   last step down are the same one;
/// - `growth` is large while the limit is unknown, shrinks with every step down, and doubles again
///   in long quiet, so that a limit once found is crossed rarely, and one that was lifted is
///   noticed;
/// - requests leave evenly spaced; delays of timers can be made good within `mostCredit`;
/// - ten minutes without a 429 forget the limit; the ceiling always holds.
///
/// The constants were found by simulation over origins with fixed windows and token buckets of 4 to
/// 200 requests a second and round trips of 5 to 300 ms (`RateLimitSimulationTests`): 92 to 100 %
/// of the origin's rate, and 0.1 to 1.9 % of the requests meet a 429.
struct RateLimit {
    /// Requests a second that are never exceeded.
    private(set) var ceiling: Double?
    /// Requests a second that the origin has been found to bear; nil when it has refused none for
    /// long.
    private(set) var learnt: Double?

    /// Added to the limit by one success, in requests a second.
    private var growth = 0.0
    /// Whether the limit is that of the first 429, which may be far too low: the origin may allow
    /// few at once, and many one after the other.
    private var isFirstGuess = false
    private var loweredAt = Instant(nanoseconds: 0)
    /// When the growth was set last.
    private var grownAt = Instant(nanoseconds: 0)
    private var nextStart = Instant(nanoseconds: 0)
    private var successes = RecentAnswers()
    private var refusals = RecentAnswers()

    private static let mostGrowth = 0.2
    private static let growthFall = 4.0
    private static let leastStepDown = 0.05
    private static let mostStepDown = 0.3
    /// 429s within this time of a step down that come from later requests: it was too small.
    private static let soonAgain = Duration.seconds(3)
    private static let overshoot = Duration.seconds(1)
    /// Successes within this time of a step down may be from before it.
    private static let settling = Duration.milliseconds(300)
    private static let quiet = Duration.seconds(25)
    private static let memory = Duration.seconds(600)
    private static let mostCredit = Duration.milliseconds(20)
    /// Least value of the first limit: a 429 in a quiet moment says nothing of the rate, and
    /// clients of this API live with four requests a second (APPLE-MUSIC-API 10.5).
    private static let firstGuess = 4.0
    /// However much is refused, it is tried once a second; ten seconds where nodes share a limit.
    private static let leastRate = 1.0
    private static let leastSharedRate = 0.1
    /// The share of its part of the limit that a node takes which has lost the others. Ten nodes at
    /// an origin of 4 requests a second met a 429 with 18 % of their requests without that and
    /// without phases, with 8 % so.
    private static let cautiousPart = 0.8
    /// The requests of a quiet time, where the limit gives few in `quiet`.
    private static let quietRequests = 40.0
    /// How many nodes divide the origin's limit among them.
    private var nodes = 1.0

    init(ceiling: Double?) {
        self.ceiling = ceiling
    }

    /// Another ceiling; the learnt rate stays.
    mutating func limit(to ceiling: Double?) {
        self.ceiling = ceiling
    }

    /// Forgets the limit, which is kept elsewhere now, or was another origin's.
    mutating func forget() {
        learnt = nil
    }

    /// Goes on alone with a part of the limit that `nodes` nodes have learnt together, and of their
    /// ceiling: less than that of the learnt, since nodes that do not know of each other meet in
    /// one moment.
    /// - Parameter phase: 0 to 1; where in the time of one request this node begins. All begin at
    ///   once where they all have the same.
    mutating func goOn(_ limit: Double?, ceiling: Double?, nodes count: Int, phase: Double, now: Instant) {
        nodes = Double(count)
        self.ceiling = ceiling.map { $0 / nodes }
        learnt = limit.map { Self.cautiousPart * $0 / nodes }
        growth = Self.leastGrowth(limit ?? 0) / nodes
        isFirstGuess = false
        (loweredAt, grownAt) = (now, now)
        if count > 1, let current { nextStart = now + .nanoseconds(Int64(clamping: phase * 1e9 / current)) }
    }
}

extension RateLimit {
    /// Requests a second that may be sent now; nil for any number.
    var current: Double? {
        guard let learnt else { return ceiling }
        return min(learnt, ceiling ?? learnt)
    }

    /// When the next request may leave: `now` or later.
    func nextStart(now: Instant) -> Instant {
        current == nil ? now : max(nextStart, now)
    }

    /// A request leaves.
    mutating func started(now: Instant) {
        guard let current else { return }
        nextStart = max(nextStart, now - Self.mostCredit) + .nanoseconds(Int64(clamping: 1e9 / current))
    }

    /// The origin has answered, with whatever but a 429. `isBinding`: the limit holds back requests
    /// just now.
    mutating func succeeded(now: Instant, isBinding: Bool) {
        successes.count(now: now)
        guard var limit = learnt else { return }
        let quietFor = now - loweredAt
        guard quietFor < Self.memory else {
            learnt = nil
            return
        }
        // The successes of the burst in which the first 429 came are still coming in.
        if isFirstGuess, quietFor < Self.overshoot { limit = max(limit, recentSuccesses(now: now)) }
        if isBinding, quietFor > Self.settling {
            if now - grownAt > max(Self.quiet, .nanoseconds(Int64(clamping: Self.quietRequests * 1e9 / limit))) {
                growth = min(Self.mostGrowth, growth * 2)
                grownAt = now
            }
            limit += growth
        }
        learnt = limit
    }

    /// The origin has answered a request that left at `startedAt` with 429.
    mutating func refused(startedAt: Instant, now: Instant) {
        refusals.count(now: now)
        if let learnt {
            guard startedAt >= loweredAt + Self.overshoot else { return }
            lower(from: learnt, now: now)
        } else {
            learnt = max(Self.firstGuess / nodes, recentSuccesses(now: now))
            growth = Self.mostGrowth
            isFirstGuess = true
        }
        loweredAt = now
        grownAt = now
    }

    private mutating func lower(from limit: Double, now: Instant) {
        let succeeded = recentSuccesses(now: now)
        let refused = Double(refusals.inLastSecond(now: now))
        // The steeper the limit grew, the further above the origin's it may be by now.
        var step = min(max(1.5 * growth, Self.leastStepDown), Self.mostStepDown)
        if now - loweredAt < Self.soonAgain { step = min(2 * step, Self.mostStepDown) }
        // A limit that was not used up says less than the requests that were sent. One request is
        // within the error of counting.
        var lowered = min(limit, succeeded + refused + 1) * (1 - step)
        // Far too much: the number of successes is the better guess.
        if 3 * refused > succeeded + 6 { lowered = min(lowered, succeeded) }
        learnt = max(nodes == 1 ? Self.leastRate : Self.leastSharedRate / nodes, lowered)
        growth = max(Self.leastGrowth(limit * nodes) / nodes, growth / Self.growthFall)
        isFirstGuess = false
    }

    /// A 429 in some hundred requests is the price of knowing the limit, whether these take a
    /// second or a minute.
    private static func leastGrowth(_ limit: Double) -> Double {
        min(0.0007 + 0.0001 * limit, 0.01)
    }

    /// Whether one more request would delay no other: none was refused in the last second, and at
    /// most a quarter of the allowed requests were sent.
    /// - Parameter limit: requests a second; nil: any number.
    mutating func isQuiet(under limit: Double?, now: Instant) -> Bool {
        guard refusals.inLastSecond(now: now) == 0 else { return false }
        return limit.map { 4 * recentSuccesses(now: now) < $0 } ?? true
    }

    /// Requests that the origin answered in the last second.
    mutating func recentSuccesses(now: Instant) -> Double {
        Double(successes.inLastSecond(now: now))
    }
}
