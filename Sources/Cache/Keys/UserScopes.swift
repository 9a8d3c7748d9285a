import EventLoop
import Synchronization

/// From a Music-User-Token to the scope of its user's entries, shared by all loops.
///
/// Its lock is taken on personal requests only.
public final class UserScopes: Sendable {
    private let key: UserHashKey
    /// An object does not find answers that were kept for users of another one.
    private let salt = UserGeneration.random()
    private let state = Mutex(State())

    private struct State {
        var generations = UserGenerations()
        /// By user, the scope that was given last in a generation that all nodes agree on.
        var shared: [UserHash: CacheKey.Scope] = [:]
    }

    /// Nil where the system has no randomness to give: nothing personal may be kept then.
    public init?() {
        guard let key = UserHashKey() else { return nil }
        self.key = key
    }

    /// One that names users as other nodes do, for `scope(of:in:at:)`.
    public init(_ key: UserHashKey) { self.key = key }

    /// The user of the token; nil where libcrypto refuses.
    public func user(ofToken token: Span<UInt8>) -> UserHash? { key.hash(token: token) }

    /// The scope under which the user's answers are kept; nil while none are (a write was a moment
    /// ago).
    public func scope(of user: UserHash, at now: Instant) -> CacheKey.Scope? {
        state.withLock { $0.generations.scope(of: user, at: now) }
    }

    /// The same in the generation that all nodes agree on.
    /// - Returns: also the scope that was given before, for the cache to free, where it has ended.
    public func scope(
        of user: UserHash, in common: UserGeneration, at now: Instant
    ) -> (scope: CacheKey.Scope?, ended: CacheKey.Scope?) {
        state.withLock { state in
            guard case .personal(let own) = state.generations.scope(of: user, at: now) else {
                return (nil, nil)
            }
            let scope = CacheKey.Scope.personal(own.inGeneration(common).inGeneration(salt))
            let before = state.shared[user]
            guard before != scope else { return (scope, nil) }
            // Answers of users forgotten here are left to eviction.
            if before == nil, state.shared.count >= UserGenerations.maxUsers { state.shared.removeAll() }
            state.shared[user] = scope
            return (scope, before)
        }
    }

    /// Makes all answers kept for the user unreachable, those that are being fetched now included:
    /// after a write, and when the token turned out dead. Returns the scope that ended, for the
    /// cache to free.
    public func end(_ user: UserHash, at now: Instant) -> CacheKey.Scope {
        state.withLock { state in
            let ended = state.generations.end(user, at: now)
            return state.shared.removeValue(forKey: user) ?? ended
        }
    }
}
