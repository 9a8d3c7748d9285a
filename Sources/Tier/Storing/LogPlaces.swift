// Places in the purge log as numbers of this node's list of purges (`PurgeList`), so that a value
// of the tier is judged like an answer of this node's own.
// Must hold: every purge of the list that a value may be older than has a higher number than the
// value is born under; places that are no longer known count as a purge of everything.

/// The latest purges of the log, each by its number in this node's list.
///
/// A value is older than the purges beyond its log mark, and from after all others. It is taken
/// only while this has all purges up to the node's position (`PurgeLogState.mayTake`).
struct LogPlaces: Sendable {
    private struct Place: Sendable {
        let position: LogPosition
        let number: Int64
    }

    let epoch: LogEpoch
    /// A value with an earlier log mark may be older than a purge that is not known.
    private(set) var forgottenUntil: LogPosition
    /// Ascending in both. One that has a later place with the same number or a lower one is left
    /// out: the later one says as much.
    private var places: [Place] = []
    private var last = LogPosition.start

    /// The most that are known.
    static let most = 1 << 17
    /// Their memory; an array may have room for twice as many.
    package static let mostBytes = 2 * most * MemoryLayout<Place>.stride
    private let most: Int

    /// Places of which none is known. `forgottenUntil` is the first id that the log still has,
    /// where it does not have all that it ever had.
    init(_ epoch: LogEpoch, forgottenUntil: LogPosition = .start, most: Int = LogPlaces.most) {
        (self.epoch, self.forgottenUntil, self.most) = (epoch, forgottenUntil, most)
    }

    var count: Int { places.count }

    /// Notes a purge. One that is not beyond the last is known.
    /// - Parameter number: not above that of the purge in this node's list.
    mutating func note(_ position: LogPosition, as number: Int64) {
        guard position > last else { return }
        last = position
        while let place = places.last, place.number >= number { places.removeLast() }
        if places.count == most { forgetHalf() }
        places.append(Place(position: position, number: number))
    }

    /// The number under which a value with that log mark was born; nil: it may be older than a
    /// purge that is not known.
    /// - Parameter newest: the number of this node's latest purge.
    func born(at logMark: LogMark, newest: Int64) -> Int64? {
        guard logMark.epoch == epoch, logMark.position >= forgottenUntil else { return nil }
        let next = firstBeyond(logMark.position)
        return next < places.count ? places[next].number - 1 : newest
    }

    private func firstBeyond(_ position: LogPosition) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A half at once, so that the rest is not moved for each.
    private mutating func forgetHalf() {
        let half = places.count / 2
        forgottenUntil = max(forgottenUntil, places[half - 1].position)
        places.removeFirst(half)
    }
}
