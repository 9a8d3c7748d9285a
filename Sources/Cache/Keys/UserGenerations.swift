import EventLoop

// Which entries of a user still count. Pure.
// Must hold: a generation never comes back, so an answer stored under an older one is never found
// again, whatever was under way when it ended; the table is bounded, and when it is full all
// generations end, but for those of users that wrote a moment ago and have nothing stored.

/// The generations of users' entries, for users that ended one; all others share the floor.
public struct UserGenerations {
    private struct Entry {
        var generation: UInt64
        /// By the monotonic clock: a user that wrote while the wall clock was ahead would otherwise
        /// be quiet for as long as it was ahead.
        var quietUntil: Instant
    }

    private var entries: [UserHash: Entry] = [:]
    private var floor: UInt64 = 0
    private var latest: UInt64 = 0

    /// Users that ended a generation and are told apart.
    static let maxUsers = 65_536
    /// How long after a write nothing is stored for the user: a write becomes visible with delay
    /// (APPLE-MUSIC-API 3.2.19), and an answer from before it must not be kept for a whole
    /// lifetime.
    public static let quietPeriod = Duration.seconds(10)

    /// The scope of the user's entries; nil while nothing is stored for them.
    func scope(of user: UserHash, at now: Instant) -> CacheKey.Scope? {
        guard let entry = entries[user] else { return .personal(user.inGeneration(floor)) }
        return now < entry.quietUntil ? nil : .personal(user.inGeneration(entry.generation))
    }

    /// Ends the user's generation: nothing stored for them so far is found again. Returns the scope
    /// that ended.
    @discardableResult
    mutating func end(_ user: UserHash, at now: Instant) -> CacheKey.Scope {
        let ended = CacheKey.Scope.personal(user.inGeneration(entries[user]?.generation ?? floor))
        latest += 1
        if entries.count >= Self.maxUsers, entries[user] == nil {
            floor = latest
            // A quiet user has nothing stored that could end. Many quiet users at once are not
            // worth the walk each time.
            entries = entries.filter { now < $0.value.quietUntil }
            if entries.count > Self.maxUsers / 2 { entries.removeAll() }
        }
        entries[user] = Entry(generation: latest, quietUntil: now + Self.quietPeriod)
        return ended
    }
}
