import EventLoop

// Which entries of a user still count, and for how long new ones may. Pure.
// Must hold: a generation never comes back, so an answer stored under an older one is never found
// again, whatever was under way when it ended; no write is forgotten in favour of a longer
// lifetime; the table is bounded, and when it is full all generations end, but for those of users
// that wrote a moment ago and have nothing stored.

/// The generations of users' entries, for users that ended one; all others share the floor.
public struct UserGenerations {
    private struct Entry {
        var generation: UInt64
        /// When the user wrote last, by the monotonic clock: a wall clock that was ahead would make
        /// the write a later one for as long as it was ahead.
        var written: Instant

        func isQuiet(at now: Instant) -> Bool { now < written + UserGenerations.quietPeriod }
    }

    private var entries: [UserHash: Entry] = [:]
    private var floor: UInt64 = 0
    private var latest: UInt64 = 0
    /// The latest write of which it is not known whose it was; nil: none.
    private var writtenByAnyone: Instant?

    /// Users that ended a generation and are told apart.
    static let maxUsers = 65_536
    /// How long after a write nothing is stored for the user: a write becomes visible with delay
    /// (APPLE-MUSIC-API 3.2.19), and an answer from before it must not be kept for a whole
    /// lifetime.
    public static let quietPeriod = Duration.seconds(10)

    /// The scope of the user's entries; nil while nothing is stored for them.
    func scope(of user: UserHash, at now: Instant) -> CacheKey.Scope? {
        guard let entry = entries[user] else { return .personal(user.inGeneration(floor)) }
        return entry.isQuiet(at: now) ? nil : .personal(user.inGeneration(entry.generation))
    }

    /// How long an answer may be served that the origin was asked for at that moment, because it
    /// may be from before a write: half of the time since that, so that the write is seen after one
    /// and a half times the origin's delay. Nil: no write is known.
    func longestKept(of user: UserHash, askedAt moment: Instant) -> Duration? {
        let written = [entries[user]?.written, writtenByAnyone].compactMap(\.self).max()
        return written.map { max(moment - $0, .zero) / 2 }
    }

    /// Notes that any user may have written at that moment.
    mutating func noteWriteByAnyone(at moment: Instant) {
        writtenByAnyone = writtenByAnyone.map { max($0, moment) } ?? moment
    }

    /// Notes that the user has written at that moment, by way of another node.
    mutating func noteWriteElsewhere(by user: UserHash, at written: Instant, now: Instant) {
        if let entry = entries[user] {
            entries[user]?.written = max(entry.written, written)
        } else {
            put(Entry(generation: floor, written: written), for: user, at: now)
        }
    }

    /// Ends the user's generation: nothing stored for them so far is found again. Returns the scope
    /// that ended.
    @discardableResult
    mutating func end(_ user: UserHash, at now: Instant) -> CacheKey.Scope {
        let ended = CacheKey.Scope.personal(user.inGeneration(entries[user]?.generation ?? floor))
        latest += 1
        put(Entry(generation: latest, written: now), for: user, at: now)
        return ended
    }

    private mutating func put(_ entry: Entry, for user: UserHash, at now: Instant) {
        if entries.count >= Self.maxUsers, entries[user] == nil { makeRoom(at: now) }
        entries[user] = entry
    }

    /// Ends the generations of all users but those that are quiet: these have nothing stored that
    /// could end. Many quiet users at once are not worth the walk each time.
    private mutating func makeRoom(at now: Instant) {
        latest += 1
        floor = latest
        let quiet = entries.filter { $0.value.isQuiet(at: now) }
        let kept = quiet.count > Self.maxUsers / 2 ? [:] : quiet
        for (user, entry) in entries where kept[user] == nil {
            noteWriteByAnyone(at: entry.written)
        }
        entries = kept
    }
}
