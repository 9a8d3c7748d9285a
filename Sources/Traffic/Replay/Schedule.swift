// The due times of requests. Pure arithmetic on the number of a request: the time of each follows
// from the start alone, and never from when the one before it was sent, so that no delay adds up.

import EventLoop
import Text

/// How fast a recording is replayed.
public enum ReplayPace: Sendable, Equatable {
    /// With the recorded spaces between requests, divided by the speed.
    case recorded(speed: Double)
    /// In the recorded order, evenly spaced.
    case rate(RequestRate)
    /// In the recorded order, by one client for each connection, which asks again once it is
    /// answered.
    case closed
    /// Sends distinct requests once, those that came most often first, at most this fast, and
    /// slower where the target refuses: fills a cache, and measures nothing.
    case warming(RequestRate)

    /// The rate that Apple's API is known to bear besides other traffic (APPLE-MUSIC-API 10.5).
    public static let warmingRate = RequestRate(perSecond: 4)

    var isWarming: Bool { if case .warming = self { true } else { false } }
}

/// The times of all requests of a run, which count from 0.
struct Schedule {
    private let pace: ReplayPace
    private let speed: Double
    /// How many requests one round has; at least one.
    private let perRound: Int
    /// When a request came, in nanoseconds since the recording began; ascending.
    private let offset: (_ index: Int) -> Int64
    private let first: Int64
    /// From the beginning of a round to that of the next, in nanoseconds.
    private let roundLength: Int64
    /// How many requests there are; nil: as many as a closed loop manages until `end`.
    private(set) var count: Int?
    /// Nanoseconds after which a closed loop sends nothing.
    let end: Int64?

    /// - Parameters:
    ///   - perRound: how many requests were recorded, at least one.
    ///   - duration: nothing is due later than this.
    ///   - repeats: begins again at the end of the recording, which takes a duration.
    ///   - offset: when each came, ascending; the first of them is due at once.
    init(
        of perRound: Int, pace: ReplayPace, duration: Duration? = nil, repeats: Bool = false,
        offset: @escaping (_ index: Int) -> Int64
    ) {
        precondition(perRound > 0 && (!repeats || duration != nil), "requests, and an end to their repetition")
        (self.pace, self.perRound, self.offset) = (pace, perRound, offset)
        speed = if case .recorded(let speed) = pace { speed } else { 1.0 }
        first = offset(0)
        let span = Self.scaled(offset(perRound - 1), since: first, speed)
        // The next round begins one mean space after the last request, so that two rounds have the
        // rate of one.
        roundLength = span + (perRound > 1 && span > 0 ? span / Int64(perRound - 1) : 1_000_000_000)
        end = duration.map(\.wholeNanoseconds)
        count = count(until: end, repeats)
    }

    /// A recording may hold any time, and requests due in thirty years are never due.
    private static func scaled(_ offset: Int64, since first: Int64, _ speed: Double) -> Int64 {
        let (distance, isBeyond) = offset.subtractingReportingOverflow(first)
        return Int64(clamping: min(Double(isBeyond ? .max : distance) / speed, 1e18))
    }

    /// Nanoseconds from the start until the request is due; nil in a closed loop, where it is due
    /// when a client is free.
    func due(_ position: Int) -> Int64? {
        switch pace {
        case .recorded:
            let (round, index) = position.quotientAndRemainder(dividingBy: perRound)
            return Int64(round) * roundLength + Self.scaled(offset(index), since: first, speed)
        case .rate(let rate): return rate.due(position)
        case .closed, .warming: return nil
        }
    }

    /// Which request of the recording it is.
    func index(_ position: Int) -> Int { position % perRound }

    /// Whether clients ask again once they are answered.
    var isClosed: Bool { pace == .closed || pace.isWarming }

    /// Slows a warming down; nil for a replay.
    var throttle: Throttle? { if case .warming(let rate) = pace { Throttle(rate) } else { nil } }

    /// How long the run is to take; nil where that depends on the target.
    var expectedLength: Duration? {
        guard let count else { return end.map { .nanoseconds($0) } }
        return count > 0 ? due(count - 1).map { .nanoseconds($0) } : .zero
    }

    /// How long requests are sent at the pace: until the one after the last would be due. Rates are
    /// of this time at least, so that ten requests at 10/s take a second. Nil without a pace.
    var pacedLength: Duration? {
        guard let count, let next = due(count) else { return nil }
        return .nanoseconds(min(next, end ?? .max))
    }

    private func count(until end: Int64?, _ repeats: Bool) -> Int? {
        guard let end else { return perRound }
        let most: Int
        switch pace {
        case .closed, .warming: return repeats ? nil : perRound
        case .rate(let rate): most = rate.count(before: end)
        case .recorded:
            let (rounds, rest) = end.quotientAndRemainder(dividingBy: roundLength)
            let whole = Int(clamping: min(Double(rounds) * Double(perRound), 1e15))
            most = whole + due(before: rest)
        }
        return repeats ? most : min(most, perRound)
    }

    /// How many requests of one round are due before a time.
    private func due(before time: Int64) -> Int {
        var (low, high) = (0, perRound)
        while low < high {
            let middle = (low + high) / 2
            if Self.scaled(offset(middle), since: first, speed) < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
