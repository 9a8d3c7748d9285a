import Text

/// Latencies of one slot of a run: a `Histogram` with a sixteenth of the buckets, because hundreds
/// of them are open at a time. A value that is read off is at most 1.6 % above one that was
/// recorded, or 16 ns; the largest is exact.
struct SlotLatencies: Sendable {
    private static let perGroup = 16

    private var counts = [Int](repeating: 0, count: Histogram.bucketCount / perGroup)
    private var count = 0
    private var maximum = 0

    mutating func record(nanoseconds: Int64) {
        let value = min(max(Int(nanoseconds), 0), Histogram.highest)
        counts[Histogram.index(of: value) / Self.perGroup] += 1
        count += 1
        maximum = max(maximum, value)
    }

    /// Writes what was recorded into the slot.
    func fill(_ slot: inout ReplayResult.Slot) {
        guard count > 0 else { return }
        (slot.median, slot.p99, slot.maximum) = (quantile(0.5), quantile(0.99), maximum)
    }

    private func quantile(_ share: Double) -> Int? {
        counts[...].bucket(ofShare: share, of: count).map { group in
            min(Histogram.bucket(at: group * Self.perGroup + Self.perGroup - 1, count: 0).highest, maximum)
        }
    }
}
