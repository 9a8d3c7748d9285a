import EventLoop
import Synchronization

/// Settings and counts of a listener whose connections come from a load balancer: each begins with
/// a header of the PROXY protocol, which names the client. Shared by all loops.
///
/// Must hold: one line a minute at most is logged about connections without a header; it says how
/// many there were.
public final class ProxyHeaders: Sendable {
    private let warn: @Sendable (String) -> Void
    private let line = Mutex(RareLine())

    /// - Parameter warn: takes a line for the operator.
    public init(_ warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
    }

    /// A connection was closed.
    /// - Parameter words: `ProxyHeaderWait.Failure.words`.
    func refused(from peer: SocketAddress?, because words: StaticString, at now: Instant) {
        guard let unsaid = line.withLock({ $0.take(at: now) }) else { return }
        let host = peer?.host ?? "an unknown address"
        warn("a connection from \(host) was closed: \(words)\(RareLine.others(unsaid))")
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
