// Floors of numbers: the time up to which answers are outdated that show one, because a later one
// showed something else, and may be gone by now. Must hold: a floor is lowered only where it is
// beyond the clock; the table has `maxCount` floors at most, and those of the longest ago go first.

/// The floors of numbers, those of one part of an index.
struct FloorTable {
    /// The time from which on answers count that show a number.
    struct Floor: Equatable {
        /// Unix seconds at which the answer that showed something else was received.
        let time: Int64
        /// A keyed hash of its key. Seconds do not tell it from what it contradicts: of that second
        /// it alone counts. Nil: nothing of that second does.
        let newest: UInt64?

        func outdates(_ receivedAt: Int64, _ key: UInt64?) -> Bool {
            receivedAt < time || receivedAt == time && (newest == nil || newest != key)
        }
    }

    /// By the number.
    private(set) var floors: [UInt64: Floor] = [:]
    let maxCount: Int

    /// The bytes of a floor, in a table that has just grown.
    static let bytesPerFloor = 96

    init(maxBytes: Int) { maxCount = maxBytes / Self.bytesPerFloor }

    var count: Int { floors.count }

    subscript(number: UInt64) -> Floor? { floors[number] }

    /// Raises the floor of a number; whether it was lower.
    /// - Parameter isLatest: whether the answer came after all others of its second.
    @discardableResult
    mutating func raise(_ number: UInt64, to floor: Floor, isLatest: Bool = true) -> Bool {
        guard maxCount > 0 else { return false }
        if let known = floors[number] {
            guard known.time < floor.time || known.time == floor.time && known.newest != floor.newest && isLatest
            else { return false }
            floors[number] = floor
            return true
        }
        if floors.count >= maxCount { makeRoom() }
        floors[number] = floor
        return true
    }

    /// Lowers floors that are beyond `now`: answers of that second count.
    mutating func cap(at now: Int64) {
        floors = floors.mapValues { $0.time > now ? Floor(time: now - 1, newest: nil) : $0 }
    }

    /// Keeps the half of the latest times.
    private mutating func makeRoom() {
        let latest = floors.sorted { $0.value.time > $1.value.time }.prefix(maxCount / 2)
        floors = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
    }
}
