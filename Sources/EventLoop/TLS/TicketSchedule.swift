/// Decides which of several keys seals session tickets, and which open them. Pure.
///
/// A key seals for an hour. It opens as long as a ticket of its last moment lives, and no longer: a
/// key that leaks does not disclose more.
struct TicketSchedule {
    /// How long a key seals.
    static let sealing = Duration.seconds(3600)
    /// The life of a ticket.
    static let ticketLife = Duration.seconds(2 * 3600)
    /// The most keys that may open tickets at once.
    static let mostKeys = 4

    /// When each key was made, the newest first.
    private(set) var births: [Instant] = []

    init() {}

    /// Takes keys of another process; nil where there are none, or they are in no order.
    init?(births: [Instant], at now: Instant) {
        let isOrdered = zip([now] + births, births).allSatisfy { $0 >= $1 }
        guard isOrdered, (1...Self.mostKeys).contains(births.count) else { return nil }
        self.births = births
    }

    /// Whether the newest key seals no more, or there is none.
    func needsKey(at now: Instant) -> Bool {
        births.first.map { now - $0 >= Self.sealing } ?? true
    }

    /// A key is made: the first from now on. All others have moved on by one, beyond the most.
    mutating func begin(at now: Instant) {
        births.insert(now, at: 0)
        births.removeSubrange(min(births.count, Self.mostKeys)...)
    }

    /// Forgets the keys that open no tickets any more: the last ones, because all live as long.
    /// - Returns: whether there were any.
    mutating func dropEnded(at now: Instant) -> Bool {
        let former = births.count
        births.removeAll { !Self.opens($0, at: now) }
        return births.count < former
    }

    /// Whether the key opens tickets.
    func opens(_ index: Int, at now: Instant) -> Bool {
        Self.opens(births[index], at: now)
    }

    private static func opens(_ birth: Instant, at now: Instant) -> Bool {
        now - birth < sealing + ticketLife
    }
}
