import EventLoop

/// Writes the origin's failures to the log: the first at once, then at most one every ten seconds
/// with a count. Each kind of trouble has its own quiet period, so that none hides another.
///
/// Confined to its loop.
final class FailureReport {
    enum Kind {
        /// No answer, or an error.
        case failure
        /// The developer token is refused.
        case token
        /// Too many requests.
        case rate
        /// An answer contradicts earlier ones.
        case contradiction
        /// A composed answer differs from the origin's.
        case wrongAnswer
    }

    private struct Quiet {
        let until: Instant
        var suppressed = 0
    }

    private let write: @Sendable (String) -> Void
    private var quiet: [Kind: Quiet] = [:]

    private static let quietPeriod = Duration.seconds(10)

    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// - Parameter cause: has at most the path of a request.
    func note(_ cause: String, _ kind: Kind = .failure, at now: Instant) {
        let last = quiet[kind]
        if let last, now < last.until {
            quiet[kind]?.suppressed += 1
            return
        }
        let suppressed = last?.suppressed ?? 0
        let more = suppressed > 0 ? " (and \(suppressed) more failures since the last report)" : ""
        quiet[kind] = Quiet(until: now + Self.quietPeriod)
        write("upstream: " + cause + more)
    }
}
