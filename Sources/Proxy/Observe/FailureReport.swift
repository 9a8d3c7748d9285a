import EventLoop

/// Tells the operator that the origin fails: at once when it begins, then at most every ten seconds with a count, so that an
/// origin that is down does not fill the log.
///
/// Confined to its loop.
final class FailureReport {
    private let write: @Sendable (String) -> Void
    private var quietUntil: Instant?
    private var suppressed = 0

    private static let quietPeriod = Duration.seconds(10)

    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// - Parameter cause: what is known of it; nothing of the request.
    func note(_ cause: String, at now: Instant) {
        if let quietUntil, now < quietUntil {
            suppressed += 1
            return
        }
        let more = suppressed > 0 ? " (and \(suppressed) more failures since the last report)" : ""
        suppressed = 0
        quietUntil = now + Self.quietPeriod
        write("upstream: " + cause + more)
    }
}
