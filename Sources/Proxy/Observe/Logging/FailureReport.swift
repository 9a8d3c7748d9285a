import EventLoop
import Freshness
import Synchronization

/// The origin's failures as lines for the log: the first at once, then at most one every ten
/// seconds, about tokens one a minute, with a count. Each kind of trouble has its own quiet period,
/// so that none hides another.
///
/// One for the process, used by all loops; the lock is taken on failures only.
final class FailureReport: Sendable {
    enum Kind {
        /// No answer, or an error.
        case failure
        /// An answer that lacks what its errors are about.
        case incomplete
        /// The developer token is refused.
        case token
        /// Too many requests.
        case rate
        /// An answer contradicts earlier ones.
        case contradiction
        /// A composed answer differs from the origin's.
        case wrongAnswer
        /// A refresh is refused, and the stored answer stays.
        case refresh
    }

    private struct Quiet {
        let until: Instant
        var suppressed = 0
    }

    /// A kind of answer that is not stored for something that the origin sends with it.
    private struct Uncacheable: Hashable {
        let template: String
        let reason: Reason
    }

    private let quiet = Mutex<[Kind: Quiet]>([:])
    /// Bounded, as templates and reasons are.
    private let uncacheable = Mutex<Set<Uncacheable>>([])

    /// A refused token lasts until somebody replaces it.
    private static func quietPeriod(_ kind: Kind) -> Duration { kind == .token ? .seconds(60) : .seconds(10) }

    /// The line for a failure; nil in a quiet period, in which it is counted.
    /// - Parameters:
    ///   - cause: has at most the path of a request.
    ///   - detail: follows the cause; made only for a line, and outside the lock.
    func line(
        _ cause: String, _ kind: Kind = .failure, detail: @autoclosure () -> String = "", at now: Instant
    ) -> String? {
        guard let suppressed = endQuietPeriod(of: kind, at: now) else { return nil }
        let more = suppressed > 0 ? " (and \(suppressed) more failures since the last report)" : ""
        return "upstream: " + cause + detail() + more
    }

    /// Begins the next quiet period, and returns how many failures the last one had; nil within
    /// one, in which the failure is counted.
    private func endQuietPeriod(of kind: Kind, at now: Instant) -> Int? {
        quiet.withLock { quiet in
            let last = quiet[kind]
            if let last, now < last.until {
                quiet[kind]?.suppressed += 1
                return nil
            }
            quiet[kind] = Quiet(until: now + Self.quietPeriod(kind))
            return last?.suppressed ?? 0
        }
    }

    /// The line for answers of a route that are not stored for this reason; nil after the first.
    func line(uncacheable reason: Reason, _ template: String) -> String? {
        guard let cause = reason.causeOfOrigin,
            uncacheable.withLock({ $0.insert(Uncacheable(template: template, reason: reason)).inserted })
        else { return nil }
        return "upstream: answers \(template) with \(cause); such answers are not stored (\(reason.text))"
    }

    /// Forgets past reports, because another origin is asked from now on.
    func forget() {
        quiet.withLock { $0 = [:] }
        uncacheable.withLock { $0 = [] }
    }
}
