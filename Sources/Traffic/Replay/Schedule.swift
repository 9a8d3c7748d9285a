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
    /// Each distinct request once, those that came most often first, at most this fast, and slower
    /// where the target refuses: fills a cache, and measures nothing.
    case warming(RequestRate)

    /// The rate that Apple's API is known to bear besides other traffic (APPLE-MUSIC-API 10.5).
    public static let warmingRate = RequestRate(perSecond: 4)

    var isWarming: Bool { if case .warming = self { true } else { false } }
}

/// The times of all requests of a run, which count from 0.
struct Schedule: Sendable, Equatable {
    private let pace: ReplayPace
    /// When each request of the recording is due in one round, in nanoseconds.
    private let offsets: [Int64]
    /// From the beginning of a round to that of the next, in nanoseconds.
    private let roundLength: Int64
    /// How many requests there are; nil: as many as a closed loop manages until `end`.
    let count: Int?
    /// Nanoseconds after which a closed loop sends nothing.
    let end: Int64?

    /// - Parameters:
    ///   - recorded: when the requests came, ascending, not empty; the first of them is due at
    ///     once.
    ///   - duration: nothing is due later than this.
    ///   - repeats: begins again at the end of the recording, which takes a duration.
    init(recorded: [Duration], pace: ReplayPace, duration: Duration? = nil, repeats: Bool = false) {
        precondition(!recorded.isEmpty && (!repeats || duration != nil), "requests, and an end to their repetition")
        self.pace = pace
        let speed = if case .recorded(let speed) = pace { speed } else { 1.0 }
        offsets = recorded.map { offset in
            // A recording may hold any time, and requests due in thirty years are never due.
            Int64(clamping: min(Double((offset - recorded[0]).wholeNanoseconds) / speed, 1e18))
        }
        let span = offsets[offsets.count - 1]
        // The next round begins one mean space after the last request, so that two rounds have the
        // rate of one.
        roundLength = span + (offsets.count > 1 && span > 0 ? span / Int64(offsets.count - 1) : 1_000_000_000)
        end = duration.map(\.wholeNanoseconds)
        count = Self.count(offsets, roundLength, pace, until: end, repeats)
    }

    /// Nanoseconds from the start until the request is due; nil in a closed loop, where it is due
    /// when a client is free.
    func due(_ position: Int) -> Int64? {
        switch pace {
        case .recorded:
            let (round, index) = position.quotientAndRemainder(dividingBy: offsets.count)
            return Int64(round) * roundLength + offsets[index]
        case .rate(let rate): return rate.due(position)
        case .closed, .warming: return nil
        }
    }

    /// Which request of the recording it is.
    func index(_ position: Int) -> Int { position % offsets.count }

    /// Whether clients ask again once they are answered.
    var isClosed: Bool { pace == .closed || pace.isWarming }

    /// Slows a warming down; nil for a replay.
    var throttle: Throttle? { if case .warming(let rate) = pace { Throttle(rate) } else { nil } }

    /// How long the run is to take; nil where that depends on the target.
    var expectedLength: Duration? {
        guard let count else { return end.map { .nanoseconds($0) } }
        return count > 0 ? due(count - 1).map { .nanoseconds($0) } : .zero
    }

    private static func count(
        _ offsets: [Int64], _ roundLength: Int64, _ pace: ReplayPace, until end: Int64?, _ repeats: Bool
    ) -> Int? {
        guard let end else { return offsets.count }
        let most: Int
        switch pace {
        case .closed, .warming: return repeats ? nil : offsets.count
        case .rate(let rate): most = rate.count(before: end)
        case .recorded:
            let (rounds, rest) = end.quotientAndRemainder(dividingBy: roundLength)
            let whole = Int(clamping: min(Double(rounds) * Double(offsets.count), 1e15))
            most = whole + (offsets.firstIndex { $0 >= rest } ?? offsets.count)
        }
        return repeats ? most : min(most, offsets.count)
    }
}
