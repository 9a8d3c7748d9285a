import EventLoop

/// Streamed answers that wait for slow readers, each of which holds a connection: when one of them
/// has to end (DECISIONS 11.9). Pure.
///
/// Must hold: a pause ends after `longest`; while others wait for a connection, paused streams have
/// at most half of them, and of the party that has most of these the one paused for longest gives
/// way, but none within `grace`: no party's streams end for another's.
struct PausedStreams<ID: Equatable> {
    private struct Pause {
        let id: ID
        let party: UpstreamParty
        let since: Instant
    }

    /// In the order in which they were paused.
    private var pauses: [Pause] = []

    /// A reader that cannot take a quarter of a mebibyte in this time would not get the answer
    /// within the time for all of it either.
    static var longest: Duration { .seconds(10) }
    /// A reader that keeps up but for a moment is not a slow one.
    static var grace: Duration { .seconds(1) }

    var isEmpty: Bool { pauses.isEmpty }

    mutating func begin(_ id: ID, of party: UpstreamParty, at now: Instant) {
        pauses.append(Pause(id: id, party: party, since: now))
    }

    mutating func end(_ id: ID) { pauses.removeAll { $0.id == id } }

    /// When the next of them has to end, as things are; nil where none is paused.
    func due(isContended: Bool, of connections: Int) -> Instant? {
        next(isContended: isContended, of: connections)?.due
    }

    /// The one that has to end now.
    func overdue(isContended: Bool, of connections: Int, now: Instant) -> ID? {
        guard let (id, due) = next(isContended: isContended, of: connections), due <= now else { return nil }
        return id
    }

    private func next(isContended: Bool, of connections: Int) -> (id: ID, due: Instant)? {
        guard let first = pauses.first else { return nil }
        let end = first.since + Self.longest
        guard isContended, pauses.count > connections / 2, let victim = firstOfTheLargest(),
            victim.since + Self.grace < end
        else { return (first.id, end) }
        return (victim.id, victim.since + Self.grace)
    }

    /// The longest pause of the party that has the most; among equals of the one whose is longer.
    private func firstOfTheLargest() -> Pause? {
        var counts: [UpstreamParty: Int] = [:]
        for pause in pauses { counts[pause.party, default: 0] += 1 }
        let most = counts.values.max()
        return pauses.first { counts[$0.party] == most }
    }
}
