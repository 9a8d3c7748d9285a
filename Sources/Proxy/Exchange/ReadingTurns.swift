import Text

// Which requests may have stored answers read for a composition in this turn of a loop, and which
// wait. Pure.
// Must hold: a turn ends its reading after `most` bytes or one composition that goes beyond, so
// others' hits wait for one composition at most; each waiting request has its turn, those of other
// parties before a further one of the party whose composition filled the last turn.

/// Reading for compositions, turn by turn. Whose: the loop's time, of which all its clients have a
/// part; bodies in memory that were read before cost a composition nothing of it.
struct ReadingTurns<Party: Equatable, Waiter> {
    /// Bytes that were read in this turn.
    private var bytes = 0
    /// Requests in the order in which they came.
    private var waiting: [(party: Party, waiter: Waiter)] = []
    /// The party whose request was let go last.
    private var last: Party?

    /// The bytes that end a turn's reading: some 4 ms (`SourceReading`).
    static var most: Int { 1 << 20 }
    /// The most requests that wait. Their bytes are counted as those of all that wait for an
    /// answer (`RequestBudget`); with all the room each, they take eight seconds.
    static var mostWaiting: Int { 256 }

    /// Whether nothing more is read in this turn.
    var isUsedUp: Bool { bytes >= Self.most }

    /// Whether nothing was read in this turn, and none waits.
    var isIdle: Bool { bytes == 0 && waiting.isEmpty }

    /// Counts bytes that were read.
    mutating func read(_ count: Int) { bytes += count }

    /// Lets a request wait for a later turn; false where too many wait, or the party has its share
    /// of the places.
    mutating func add(_ waiter: Waiter, of party: Party) -> Bool {
        let own = waiting.count { $0.party == party }
        guard FairShare.allows(1, holding: own, of: Self.mostWaiting - waiting.count) else { return false }
        waiting.append((party, waiter))
        return true
    }

    /// Begins another turn.
    mutating func begin() { bytes = 0 }

    /// The next request to go on in this turn.
    mutating func next() -> Waiter? {
        guard !isUsedUp, !waiting.isEmpty else { return nil }
        let (party, waiter) = waiting.remove(at: waiting.firstIndex { $0.party != last } ?? 0)
        last = party
        return waiter
    }
}
