// The current developer token, for all loops.
//
// Must hold: a token is renewed well before it expires, and when the clock was set back before its
// beginning; a refused token is replaced at most once a minute.

import Synchronization

/// A source of developer tokens, shared by all loops: a file with a token in it, or a key to sign
/// them with.
public final class DeveloperTokens: Sendable {
    /// Seconds between two attempts, at least.
    static let secondsBetweenAttempts: Int64 = 60

    private enum Source {
        case file(String)
        case signer(DeveloperTokenSigner)
    }

    private struct State {
        var token: SecretBytes
        /// The token is renewed outside this range of unix seconds.
        var goodFor: Range<Int64>
        var lastAttempt: Int64?
    }

    private let source: Source
    /// Unix seconds of the last refusal; the least number before the first.
    private let refusedAt = Atomic<Int64>(.min)
    private let state: Mutex<State>

    /// A file with a ready token. It is read now, and again when the token was rejected.
    public init(tokenFile path: String) throws(SecretFileError) {
        source = .file(path)
        state = Mutex(State(token: try SecretFile.readToken(path), goodFor: Int64.min..<Int64.max))
    }

    /// Tokens signed here. The first is made now; each is replaced after 80 % of its life.
    /// - Parameter unixSeconds: the time now.
    public init(signer: DeveloperTokenSigner, at unixSeconds: Int64) throws(SigningKeyError) {
        source = .signer(signer)
        let token = try signer.token(at: unixSeconds)
        state = Mutex(State(token: token, goodFor: DeveloperTokens.goodFor(signer, at: unixSeconds)))
    }

    /// The token to send now. Costs an uncontended lock, except when a token is due: then a
    /// signature, about 0.1 ms.
    /// - Parameter unixSeconds: the time now.
    public func current(at unixSeconds: Int64) -> SecretBytes {
        state.withLock { state in
            if !state.goodFor.contains(unixSeconds), case .signer(let signer) = source {
                if let token = try? signer.token(at: unixSeconds) {
                    state.token = token
                    state.goodFor = DeveloperTokens.goodFor(signer, at: unixSeconds)
                } else {
                    // The old one has a fifth of its life left to get over it.
                    state.goodFor = unixSeconds..<unixSeconds + DeveloperTokens.secondsBetweenAttempts
                }
            }
            return state.token
        }
    }

    /// Whether tokens come from a file and are not signed here.
    public var areReady: Bool { if case .file = source { true } else { false } }

    /// Notes that the origin refused one of these tokens.
    public func noteRefusal(at unixSeconds: Int64) { refusedAt.store(unixSeconds, ordering: .relaxed) }

    /// Unix seconds of the last refusal by the origin; nil before the first.
    public var lastRefusal: Int64? {
        let time = refusedAt.load(ordering: .relaxed)
        return time == .min ? nil : time
    }

    /// Key id and team id of a token, as a log may have them, such as
    /// `key id ABC123DEFG, team id DEF123GHIJ`; nil where the token does not say them.
    public static func identity(of token: SecretBytes) -> String? {
        guard let claims = try? TokenClaims(token: token) else { return nil }
        // A ready token may have any text in them.
        let parts = [("key id", claims.keyID), ("team id", claims.issuer)].compactMap { name, value in
            value.flatMap { DeveloperTokenSigner.isIdentifier($0) ? "\(name) \($0)" : nil }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Called when the origin has answered 401. Signs anew or reads the file again, at most once a
    /// minute. Blocks for as long as that takes.
    /// - Parameter rejected: the token that was sent, as ``current(at:)`` gave it: others may have
    ///   replaced it already.
    /// - Parameter unixSeconds: the time now.
    /// - Returns: whether there is another token than the rejected one, so that a retry makes
    ///   sense.
    public func renewAfterRejection(of rejected: SecretBytes, at unixSeconds: Int64) -> Bool {
        state.withLock { state in
            guard state.token === rejected else { return true }
            // Also after the clock was set back.
            if let last = state.lastAttempt,
                (last..<last + DeveloperTokens.secondsBetweenAttempts).contains(unixSeconds)
            {
                return false
            }
            state.lastAttempt = unixSeconds
            switch source {
            case .file(let path):
                guard let token = try? SecretFile.readToken(path), !token.isEqual(to: state.token) else { return false }
                state.token = token
            case .signer(let signer):
                guard let token = try? signer.token(at: unixSeconds) else { return false }
                state.token = token
                state.goodFor = DeveloperTokens.goodFor(signer, at: unixSeconds)
            }
            return true
        }
    }

    /// From `iat` on: before, the origin would take the token for one from the future.
    private static func goodFor(_ signer: DeveloperTokenSigner, at unixSeconds: Int64) -> Range<Int64> {
        let issuedAt = unixSeconds - Int64(DeveloperTokenSigner.issuedInPast)
        return issuedAt..<issuedAt + Int64(signer.lifetime) * 4 / 5
    }
}
