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
        var log = ConnectionRefusalLog()
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
            $0.log.names = names
            $0.handlers = LogHandlers(warn: warn, inform: inform)
        }
    }

    /// Says how many events the last minute has left unsaid. To be called once a minute at least.
    public func logSuppressed(at now: Instant) {
        let (lines, handlers) = state.withLock { ($0.log.rest(at: now), $0.handlers) }
        for line in lines.refusals { handlers.warn(line) }
        for line in lines.handshakes { handlers.inform(line) }
    }

    /// Counts a client that a limit has refused.
    /// - Parameter detail: more of the cause, for the line.
    func note(_ limit: ClientLimit, _ peer: SocketAddress?, _ detail: String? = nil, at now: Instant) {
        let (line, handlers) = state.withLock { state in
            state.refusals[limit.rawValue] += 1
            return (state.log.line(about: limit, peer, detail, at: now), state.handlers)
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
            return (state.log.line(about: failure, peer, at: now), state.handlers)
        }
        if let line { handlers.inform(line) }
    }
}

/// The lines of `ConnectionRefusals`. Pure.
struct ConnectionRefusalLog {
    /// Directive and value of limits.
    var names = LimitNames()
    private var refusals = ClientLimit.allCases.map { _ in RareLine() }
    private var handshakes = HandshakeFailure.Kind.allCases.map { _ in RareLine() }

    /// Nil where a line about this limit was said less than a minute ago.
    mutating func line(
        about limit: ClientLimit, _ peer: SocketAddress?, _ detail: String?, at now: Instant
    ) -> String? {
        guard let unsaid = refusals[limit.rawValue].take(at: now) else { return nil }
        let cause = detail.map { ": \($0)" } ?? ""
        return "\(name(of: limit)): \(limit.words(from: Self.host(peer)))\(cause)\(RareLine.others(unsaid))"
    }

    /// Nil where a line about this kind was said less than a minute ago, and for health checks.
    mutating func line(about failure: HandshakeFailure, _ peer: SocketAddress?, at now: Instant) -> String? {
        guard failure.kind != .silent, let unsaid = handshakes[failure.kind.rawValue].take(at: now) else { return nil }
        let details = [failure.host, failure.reason].compactMap { $0 }
        let cause = details.isEmpty ? "" : " (\(details.joined(separator: ": ")))"
        let words = "TLS handshake with \(Self.host(peer)) failed: \(failure.kind.phrase)\(cause)"
        return words + RareLine.others(unsaid)
    }

    /// Lines about events since the last one of their kind, where that is a minute old.
    mutating func rest(at now: Instant) -> (refusals: [String], handshakes: [String]) {
        let refused = ClientLimit.allCases.compactMap { limit in
            refusals[limit.rawValue].takeRest(at: now).map { "\(name(of: limit)): \(limit.words(of: $0))" }
        }
        let failed = HandshakeFailure.Kind.allCases.compactMap { kind in
            handshakes[kind.rawValue].takeRest(at: now).map { count in
                "\(count) more TLS handshake\(count == 1 ? "" : "s") failed: \(kind.phrase)"
            }
        }
        return (refused, failed)
    }

    private func name(of limit: ClientLimit) -> String { names[limit] }

    /// The address, or the prefix of an IPv6 one, for which limits count.
    private static func host(_ peer: SocketAddress?) -> String {
        guard let peer else { return "an unknown address" }
        return peer.network.map { SocketAddress.text(ofNetwork: $0) } ?? "a Unix socket"
    }
}
