import EventLoop
import Synchronization

/// Counts the clients that a limit has refused, and the TLS handshakes, and has lines about them
/// for the operator.
///
/// Counts are of this process, from its start, over all loops; a reload keeps them. A limit, and a
/// kind of failed handshake, gets one line a minute at most: the first event at once, those of the
/// minute after it as a number. Used from any thread.
public final class ConnectionRefusals: Sendable {
    /// The takers of lines.
    struct LogHandlers {
        var warn: @Sendable (String) -> Void = { _ in }
        var inform: @Sendable (String) -> Void = { _ in }
    }

    private struct State {
        var names = LimitNames()
        var refusalLines = RareLines<ClientLimit>()
        var handshakeLines = RareLines<HandshakeFailure.Kind>()
        var handlers = LogHandlers()
        var refusals = ClientLimit.allCases.map { _ in 0 }
        var failedHandshakes = HandshakeFailure.Kind.allCases.map { _ in 0 }
        var handshakes = 0
    }

    private let state = Mutex(State())

    init() {}

    /// How often this limit has refused a client.
    public func count(by limit: ClientLimit) -> Int { state.withLock { $0.refusals[limit.rawValue] } }

    /// TLS handshakes with clients that were completed.
    public var handshakes: Int { state.withLock(\.handshakes) }

    /// TLS handshakes with clients that failed in this way.
    public func failedHandshakes(_ kind: HandshakeFailure.Kind) -> Int {
        state.withLock { $0.failedHandshakes[kind.rawValue] }
    }

    /// Sets the takers of lines for the operator.
    /// - Parameters:
    ///   - names: directive and value of a limit.
    ///   - warn: takes lines about refusals.
    ///   - inform: takes lines about failed handshakes.
    public func tell(
        names: LimitNames, warn: @escaping @Sendable (String) -> Void,
        inform: @escaping @Sendable (String) -> Void
    ) {
        state.withLock {
            $0.names = names
            $0.handlers = LogHandlers(warn: warn, inform: inform)
        }
    }

    /// Says how many events the last minute has left unsaid. To be called once a minute at least.
    public func logSuppressed(at now: Instant) {
        let (refused, failed, handlers) = state.withLock { state in
            let names = state.names
            let refused = state.refusalLines.rest(at: now) { "\(names[$0]): \($0.words(of: $1))" }
            let failed = state.handshakeLines.rest(at: now) { kind, count in
                "\(count) more TLS handshake\(count == 1 ? "" : "s") failed: \(kind.phrase)"
            }
            return (refused, failed, state.handlers)
        }
        for line in refused { handlers.warn(line) }
        for line in failed { handlers.inform(line) }
    }

    /// Counts a client that a limit has refused.
    /// - Parameter detail: more of the cause, for the line.
    func note(_ limit: ClientLimit, _ peer: SocketAddress?, _ detail: String? = nil, at now: Instant) {
        let (line, handlers) = state.withLock { state in
            state.refusals[limit.rawValue] += 1
            let name = state.names[limit]
            let line = state.refusalLines.line(about: limit, at: now) {
                "\(name): \(limit.words(from: Self.host(peer)))" + (detail.map { ": \($0)" } ?? "")
            }
            return (line, state.handlers)
        }
        // Not under the lock: its taker may be slow.
        if let line { handlers.warn(line) }
    }

    /// Counts the handshake of a client, which is over.
    /// - Parameter failure: nil for one that was completed.
    func noteHandshake(_ failure: HandshakeFailure?, _ peer: SocketAddress?, at now: Instant) {
        let (line, handlers) = state.withLock { state in
            guard let failure else {
                state.handshakes += 1
                return (String?.none, state.handlers)
            }
            state.failedHandshakes[failure.kind.rawValue] += 1
            // Health checks.
            guard failure.kind != .silent else { return (nil, state.handlers) }
            let line = state.handshakeLines.line(about: failure.kind, at: now) {
                "TLS handshake with \(Self.host(peer)) failed: \(failure.words)"
            }
            return (line, state.handlers)
        }
        if let line { handlers.inform(line) }
    }

    /// The address, or the prefix of an IPv6 one, for which limits count.
    private static func host(_ peer: SocketAddress?) -> String {
        guard let peer else { return "an unknown address" }
        return peer.network.map { SocketAddress.text(ofNetwork: $0) } ?? "a Unix socket"
    }
}

extension HandshakeFailure {
    fileprivate var words: String {
        let details = [host, reason].compactMap { $0 }
        return details.isEmpty ? kind.phrase : "\(kind.phrase) (\(details.joined(separator: ": ")))"
    }
}
