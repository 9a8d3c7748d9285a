/// Positions of the latest purges that this node has read: they tell the lag of a node.
struct LogTail: Sendable {
    /// Further ones are not counted.
    static let most = 1_024

    /// In their order; the latest `most` of them are among them.
    private var positions: [LogPosition] = []

    /// Notes one that was read. One that is not beyond the last is known.
    mutating func note(_ position: LogPosition) {
        guard positions.last.map({ $0 < position }) ?? true else { return }
        // A half at once, so that the rest is not moved for each.
        if positions.count == 2 * Self.most { positions.removeFirst(Self.most) }
        positions.append(position)
    }

    /// The log was begun anew, or is read anew.
    mutating func forget() { positions = [] }

    /// How many of them lie beyond that, `most` at most.
    func count(beyond position: LogPosition) -> Int {
        var count = 0
        for known in positions.suffix(Self.most).reversed() {
            guard known > position else { break }
            count += 1
        }
        return count
    }
}
