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
        var lines = RareLines<AdminRefusalReason>()
        /// Caller of the last refusal for a reason.
        var callers: [AdminRefusalReason: String] = [:]
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
        let lines = state.withLock { state in
            let callers = state.callers
            return state.lines.rest(at: now) { reason, count in
                let calls = count == 1 ? "1 more call was" : "\(count) more calls were"
                return "admin_listen: \(calls) refused, the last from \(callers[reason] ?? ""): \(reason.phrase)"
            }
        }
        for line in lines { warn(line) }
    }

    /// Counts a refused call.
    /// - Parameter caller: its address, or its user.
    func note(_ reason: AdminRefusalReason, of caller: String, at now: Instant) {
        let line = state.withLock { state in
            state.counts[reason.rawValue] += 1
            state.callers[reason] = caller
            return state.lines.line(about: reason, at: now) {
                "admin_listen: a call from \(caller) was refused: \(reason.phrase)"
            }
        }
        // Not under the lock: its taker may be slow.
        if let line { warn(line) }
    }
}
