import AppleMusic
import EventLoop
import HTTP
import Synchronization

/// The developer token that a client brings, and the site that it may be bound to, as a number that
/// tells them apart and says nothing of them: where the proxy has no token of its own, each counts
/// for itself (DECISIONS 11.10).
enum ClientToken {
    /// Stands for none: the request carries no token, or the proxy sends its own.
    static let none: UInt64 = 0

    /// The number of a token that goes along.
    static func number(of authorization: ClientAuthorization?) -> UInt64 {
        guard let authorization else { return none }
        var hasher = SecretHasher()
        hasher.combine(authorization.value.span)
        if let site = authorization.site { hasher.combine(site.span) }
        return hasher.number
    }

    /// The number of the token that a request brings, without a copy.
    static func number(of head: RequestHead, _ bytes: Span<UInt8>, _ known: inout BoundTokens) -> UInt64 {
        guard let field = head.fields.first(.authorization) else { return none }
        let value = bytes.extracting(field.value.range)
        var hasher = SecretHasher()
        hasher.combine(value)
        guard let site = head.fields.first(.origin), known.mayBeBound(value, hasher.number) else {
            return hasher.number
        }
        hasher.combine(bytes.extracting(site.value.range))
        return hasher.number
    }
}

/// Which of the clients' tokens may be bound to sites, by their numbers.
///
/// A hit must not wait each time for a token to be decoded. Confined to its loop.
struct BoundTokens {
    private var known: [UInt64: Bool] = [:]
    private static let most = 256

    mutating func mayBeBound(_ authorization: Span<UInt8>, _ number: UInt64) -> Bool {
        if let isBound = known[number] { return isBound }
        let isBound = TokenClaims.mayBeBound(authorization: authorization)
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        known[number] = isBound
        return isBound
    }
}

/// Which tokens of clients the origin has accepted of late, and with them that of no token at all:
/// only a client that shows one of these gets stored answers. Used from any thread.
final class WorkingTokens: Sendable {
    private let accepted = Mutex<[UInt64: Instant]>([:])
    /// Until when requests without a token get stored answers, in nanoseconds. A hit must not
    /// wait for a lock. Without an end as long as no client has shown a token: then it is an origin
    /// that wants none, and answers stored before a restart need no proof.
    private let openUntil = Atomic<Int64>(.max)

    /// A revoked token opens stored answers for this long at most.
    static let trust = Duration.seconds(600)
    static let most = 4096

    /// Whether requests without a token are answered by the origin.
    func worksWithoutToken(at now: Instant) -> Bool {
        now.nanoseconds < openUntil.load(ordering: .relaxed)
    }

    func works(_ token: UInt64, at now: Instant) -> Bool {
        if token == ClientToken.none { return worksWithoutToken(at: now) }
        endOpenness()
        return accepted.withLock { $0[token].map { now - $0 < Self.trust } ?? false }
    }

    /// The origin has answered a request that showed it.
    func note(_ token: UInt64, _ evidence: TokenEvidence, at now: Instant) {
        switch evidence {
        case .accepted: remember(token, at: now)
        case .refused: forget(token)
        case .none: break
        }
    }

    private func remember(_ token: UInt64, at now: Instant) {
        if token == ClientToken.none {
            guard openUntil.load(ordering: .relaxed) != .max else { return }
            return openUntil.store((now + Self.trust).nanoseconds, ordering: .relaxed)
        }
        endOpenness()
        accepted.withLock { accepted in
            if accepted.count >= Self.most, accepted[token] == nil {
                accepted = accepted.filter { now - $0.value < Self.trust }
                // A token that does not fit costs its clients requests, and gives nothing away.
                guard accepted.count < Self.most else { return }
            }
            accepted[token] = now
        }
    }

    /// A client has shown a token.
    private func endOpenness() {
        _ = openUntil.compareExchange(expected: .max, desired: .min, ordering: .relaxed)
    }

    /// The origin is another one, which has accepted none.
    func forget() {
        accepted.withLock { $0.removeAll() }
        if openUntil.load(ordering: .relaxed) != .max { openUntil.store(.min, ordering: .relaxed) }
    }

    private func forget(_ token: UInt64) {
        if token == ClientToken.none { return openUntil.store(.min, ordering: .relaxed) }
        accepted.withLock { $0[token] = nil }
    }
}
