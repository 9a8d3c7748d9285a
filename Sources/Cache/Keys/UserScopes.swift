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

    /// Scopes that name users as other nodes do, for `scope(of:in:at:)`.
    public init(_ key: UserHashKey) { self.key = key }

    /// The user of the token; nil where libcrypto refuses.
    public func user(ofToken token: Span<UInt8>) -> UserHash? { key.hash(token: token) }

    /// The scope under which the user's answers are kept; nil while none are (a write was a moment
    /// ago).
    public func scope(of user: UserHash, at now: Instant) -> CacheKey.Scope? {
        state.withLock { $0.generations.scope(of: user, at: now) }
    }

    /// For how many seconds an answer of the user's may be served that the origin was asked for
    /// `delay` ago; nil: for as long as the rule says (`UserGenerations.longestKept`).
    public func longestKept(of user: UserHash, after delay: Duration, at now: Instant) -> Int? {
        let longest = state.withLock { $0.generations.longestKept(of: user, askedAt: now - delay) }
        return longest.map { Int($0.components.seconds) }
    }

    /// Notes that any user may have written at that moment, unseen by this process.
    public func noteWriteByAnyone(at moment: Instant) {
        state.withLock { $0.generations.noteWriteByAnyone(at: moment) }
    }

    /// The scope of the user in the generation that all nodes agree on.
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
            // While the word of a write is in the engine nothing is stored. It has gone now, and
            // the first answers after it are kept as after the quiet period.
            let written = now - UserGenerations.quietPeriod
            if before != nil {
                state.generations.noteWriteElsewhere(by: user, at: written, now: now)
            } else if state.shared.count >= UserGenerations.maxUsers {
                // Answers of users forgotten here are left to eviction.
                state.shared.removeAll()
                state.generations.noteWriteByAnyone(at: written)
            }
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
