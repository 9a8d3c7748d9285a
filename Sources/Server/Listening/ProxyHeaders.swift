import EventLoop
import Synchronization

/// Settings and counts of a listener whose connections come from a load balancer: each begins with
/// a header of the PROXY protocol, which names the client. Shared by all loops.
///
/// Must hold: one line a minute at most is logged about connections without a header; it says how
/// many there were.
public final class ProxyHeaders: Sendable {
    private struct State {
        var lastLine: Instant?
        var unsaid = 0
    }

    private static let interval = Duration.seconds(60)
    private let warn: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameter warn: takes a line for the operator.
    public init(_ warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
    }

    /// A connection was closed.
    /// - Parameter words: `ProxyHeaderWait.Failure.words`.
    func refused(from peer: SocketAddress?, because words: StaticString, at now: Instant) {
        let unsaid = state.withLock { state -> Int? in
            if let last = state.lastLine, now - last < Self.interval {
                state.unsaid += 1
                return nil
            }
            defer { (state.lastLine, state.unsaid) = (now, 0) }
            return state.unsaid
        }
        guard let unsaid else { return }
        let others = unsaid > 0 ? "; \(unsaid) more since the last message" : ""
        warn("a connection from \(peer?.host ?? "an unknown address") was closed: \(words)\(others)")
    }
}

extension ProxyHeaderWait.Failure {
    /// Nil where there is nothing to be said about it.
    var words: StaticString? {
        switch self {
        case .malformed: "it did not begin with a PROXY protocol header"
        case .closed: "it ended within the PROXY protocol header"
        case .late: "its PROXY protocol header was late"
        case .silent, .system: nil
        }
    }
}
