import EventLoop

/// Streamed answers that wait for slow readers, each of which holds a connection: when one of them
/// has to end (DECISIONS 11.9). Pure.
///
/// Must hold: a pause ends after `longest`; while others wait for a connection, paused streams have
/// at most half of them, and the one paused for longest gives way, but none within `grace`.
struct PausedStreams<ID: Equatable> {
    /// In the order in which they were paused.
    private var pauses: [(id: ID, since: Instant)] = []

    /// A reader that cannot take a quarter of a mebibyte in this time would not get the answer
    /// within the time for all of it either.
    static var longest: Duration { .seconds(10) }
    /// A reader that keeps up but for a moment is not a slow one.
    static var grace: Duration { .seconds(1) }

    var isEmpty: Bool { pauses.isEmpty }

    mutating func begin(_ id: ID, at now: Instant) { pauses.append((id, now)) }
    mutating func end(_ id: ID) { pauses.removeAll { $0.id == id } }

    /// When the first of them has to end, as things are; nil where none is paused.
    func due(isContended: Bool, of connections: Int) -> Instant? {
        guard let first = pauses.first else { return nil }
        return first.since + (isContended && pauses.count > connections / 2 ? Self.grace : Self.longest)
    }

    /// The one that has to end now.
    func overdue(isContended: Bool, of connections: Int, now: Instant) -> ID? {
        guard let due = due(isContended: isContended, of: connections), due <= now else { return nil }
        return pauses.first?.id
    }
}
