import EventLoop

/// How many answers came in the last second, to an eighth of it. Constant time and space.
struct RecentAnswers {
    private var cells = InlineArray<8, Int>(repeating: 0)
    /// The number of the eighth that was counted last, since the clock's zero.
    private var last: Int64 = 0

    private static let cellNanoseconds: Int64 = 125_000_000

    mutating func count(now: Instant) {
        moveOn(to: now)
        cells[Int(last & 7)] += 1
    }

    /// Number of answers in the running eighth and the seven before it.
    mutating func inLastSecond(now: Instant) -> Int {
        moveOn(to: now)
        var sum = 0
        for index in cells.indices { sum += cells[index] }
        return sum
    }

    /// Empties the cells of the time that has passed.
    private mutating func moveOn(to now: Instant) {
        let current = now.nanoseconds / Self.cellNanoseconds
        guard current > last else { return }
        for cell in max(last + 1, current - 7)...current { cells[Int(cell & 7)] = 0 }
        last = current
    }
}
