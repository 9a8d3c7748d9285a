/// A part of the run as it is drawn or written: one slot or several together.
struct TimelineColumn {
    /// Seconds since the start.
    let from: Double
    /// Seconds since the start; the end of the run where that comes before the end of the slot.
    let to: Double
    /// Sums of the slots.
    private(set) var slot = ReplayResult.Slot()
    /// Whether it is the last of several, and shorter than half a slot: too short for rates.
    let isRest: Bool

    /// The most columns of a plot: more would be narrower than a dot.
    static let mostDrawn = 600
    /// The most rows of a table: more would not be read.
    static let mostWritten = 60

    /// The slots of a result in at most `most` columns of equal width. Latencies of a column are
    /// the highest of its slots: percentiles cannot be averaged, and readers look for the bad ones.
    static func columns(of result: ReplayResult, atMost most: Int) -> [TimelineColumn] {
        let slots = result.slots
        let perColumn = max(1, (slots.count + most - 1) / most)
        return stride(from: 0, to: slots.count, by: perColumn).map { first in
            TimelineColumn(result, first..<min(first + perColumn, slots.count))
        }
    }

    private init(_ result: ReplayResult, _ range: Range<Int>) {
        let length = result.slotLength / .seconds(1)
        let elapsed = result.elapsed / .seconds(1)
        let end = Double(range.upperBound) * length
        from = Double(range.lowerBound) * length
        // Slots after the end of the run are a mistake of the program that made the result; they
        // keep their length.
        to = elapsed > from ? min(end, elapsed) : end
        isRest = range.lowerBound > 0 && to - from < length / 2
        for part in result.slots[range] {
            for (_, path) in ReplayResult.Slot.counts { slot[keyPath: path] += part[keyPath: path] }
            for (_, path) in ReplayResult.Slot.latencies {
                slot[keyPath: path] = [slot[keyPath: path], part[keyPath: path]].compactMap { $0 }.max()
            }
        }
    }

    func rate(_ count: Int) -> Double { Double(count) / (to - from) }

    /// Answers that are neither hits nor misses.
    var others: Int { max(0, slot.answered - slot.hits - slot.misses) }
}
