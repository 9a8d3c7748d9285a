import EventLoop

/// Tells the operator that the origin fails: at once when it begins, then at most every ten seconds
/// with a count, so that an origin that is down does not fill the log. Each kind of trouble has a
/// quiet period of its own, so that none hides another.
///
/// Confined to its loop.
final class FailureReport {
    enum Kind: CaseIterable {
        /// No answer, or an error.
        case failure
        /// The developer token is refused.
        case token
        /// Too many requests.
        case rate
        /// An answer contradicts what was learnt.
        case contradiction
        /// A composed answer was not what the origin says.
        case wrongAnswer
    }

    private struct Quiet {
        var until: Instant?
        var suppressed = 0
    }

    private let write: @Sendable (String) -> Void
    private var quiet: [Kind: Quiet] = [:]

    private static let quietPeriod = Duration.seconds(10)

    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// - Parameter cause: what is known of it; of the request its path at most.
    func note(_ cause: String, _ kind: Kind = .failure, at now: Instant) {
        let last = quiet[kind] ?? Quiet()
        if let until = last.until, now < until {
            quiet[kind]?.suppressed += 1
            return
        }
        let more = last.suppressed > 0 ? " (and \(last.suppressed) more failures since the last report)" : ""
        quiet[kind] = Quiet(until: now + Self.quietPeriod)
        write("upstream: " + cause + more)
    }
}
