import Text

/// A sending of a request that asks for its turn in the budget, named by its lane.
struct TurnID: NumberedKey, Comparable, Sendable {
    let lane: Int
    let number: Int
    var hashNumber: UInt64 { UInt64(truncatingIfNeeded: lane << 48 ^ number) }
    static func < (a: Self, b: Self) -> Bool { (a.number, a.lane) < (b.number, b.lane) }
}
