import EventLoop
import Server
import Synchronization

/// Counts the calls that the admin listener does not admit, and has lines about them for the
/// operator.
///
/// Counts are of this process, from its start; a reload keeps them, also one that moves the
/// listener. A reason gets one line a minute at most: the first refusal at once, those of the
/// minute after it as a number. No line has a token, or anything else that the client sent. Used
/// from any thread.
public final class AdminRefusals: Sendable {
    private struct State {
        var log = AdminRefusalLog()
        var counts = AdminRefusalReason.allCases.map { _ in 0 }
    }

    private let state = Mutex(State())
    private let warn: @Sendable (String) -> Void

    /// - Parameter warn: takes lines for the operator.
    public init(warn: @escaping @Sendable (String) -> Void = { _ in }) { self.warn = warn }

    /// By reason, in the order of the cases.
    var counts: [Int] { state.withLock(\.counts) }

    /// Says how many refusals the last minute has left unsaid. To be called once a minute at least.
    public func logSuppressed(at now: Instant) {
        for line in state.withLock({ $0.log.rest(at: now) }) { warn(line) }
    }

    /// Counts a refused call.
    /// - Parameter caller: its address, or its user.
    func note(_ reason: AdminRefusalReason, of caller: String, at now: Instant) {
        let line = state.withLock { state in
            state.counts[reason.rawValue] += 1
            return state.log.line(about: reason, of: caller, at: now)
        }
        // Not under the lock: its taker may be slow.
        if let line { warn(line) }
    }
}

/// The lines of `AdminRefusals`. Pure.
struct AdminRefusalLog {
    private struct Lines {
        var rare = RareLine()
        /// Caller of the last refusal.
        var last = ""
    }

    private var lines = AdminRefusalReason.allCases.map { _ in Lines() }

    /// Nil where a line about this reason was said less than a minute ago.
    mutating func line(about reason: AdminRefusalReason, of caller: String, at now: Instant) -> String? {
        lines[reason.rawValue].last = caller
        guard let unsaid = lines[reason.rawValue].rare.take(at: now) else { return nil }
        return "admin_listen: a call from \(caller) was refused: \(reason.phrase)\(RareLine.others(unsaid))"
    }

    /// Lines about refusals since the last one of their reason, where that is a minute old.
    mutating func rest(at now: Instant) -> [String] {
        AdminRefusalReason.allCases.compactMap { reason in
            lines[reason.rawValue].rare.takeRest(at: now).map { count in
                let calls = count == 1 ? "1 more call was" : "\(count) more calls were"
                return "admin_listen: \(calls) refused, the last from \(lines[reason.rawValue].last): \(reason.phrase)"
            }
        }
    }
}
