import Proxy

// The run in slots, for the plots over time.
//
// Must hold: counts are in the slot in which something happened. Latencies are in the slot in which
// the request was due: drawn where answers came, a stall would be a gap and one high step after it,
// and not the wait of all requests that were due in it.

/// The slots of a run while it goes on.
struct ReplayTimeline: Sendable {
    private(set) var slots: [ReplayResult.Slot] = []
    /// In nanoseconds.
    let slotLength: Int64
    /// Latencies of the slots from `closed` on, which may still get answers.
    private var open: [Histogram] = []
    private var closed = 0

    /// Most slots of a run of known length.
    private static let mostSlots = 600
    /// Few bits, because hundreds are open at a time: percentiles are at most 1.6 % too high.
    private static let precision = 6
    /// Most open slots, at 19 KiB each.
    ///
    /// In a run of known length these are all; in a run without an end an answer that is later than
    /// ten minutes counts as the largest of its slot, and in no percentile of it.
    static let mostOpen = mostSlots
    private static let slotLengths: [Int64] = [100, 500, 1000, 5000, 10_000, 60_000, 600_000]

    /// - Parameter length: of the run, as far as it is known.
    init(expecting length: Duration?) {
        let nanoseconds = (length ?? .zero).wholeNanoseconds
        let lengths = Self.slotLengths.map { $0 * 1_000_000 }
        let usual: Int64 = 1_000_000_000
        slotLength =
            length == nil ? usual : lengths.first { nanoseconds / $0 < Int64(Self.mostSlots) } ?? 3_600_000_000_000
    }

    mutating func noteSent(at now: Int64) { slots[slot(at: now)].sent += 1 }

    /// - Parameter latency: of a request that timed out, in nanoseconds.
    mutating func noteFailure(latency: Int64? = nil, at now: Int64) {
        slots[slot(at: now)].failed += 1
        if let latency { note(latency, inSlot: slot(at: now - latency)) }
    }

    /// - Parameters:
    ///   - latency: from when the request was due, in nanoseconds.
    ///   - side: of the answer's outcome; nil where it says none.
    mutating func noteAnswer(latency: Int64, side: Outcome.Side?, at now: Int64) {
        let current = slot(at: now)
        slots[current].answered += 1
        switch side {
        case .hit: slots[current].hits += 1
        case .miss: slots[current].misses += 1
        case .neither, nil: break
        }
        note(latency, inSlot: slot(at: now - latency))
    }

    private mutating func note(_ latency: Int64, inSlot index: Int) {
        guard index >= closed else {
            slots[index].maximum = max(slots[index].maximum ?? 0, Int(latency))
            return
        }
        while closed + open.count <= index {
            if open.count == Self.mostOpen { closeFirst() }
            open.append(Histogram(precision: Self.precision))
        }
        open[index - closed].record(nanoseconds: latency)
    }

    private mutating func closeFirst() {
        let latencies = open.removeFirst()
        (slots[closed].median, slots[closed].p99) = (latencies.quantile(0.5), latencies.quantile(0.99))
        slots[closed].maximum = latencies.maximum
        closed += 1
    }

    private mutating func slot(at time: Int64) -> Int {
        let index = Int(max(time, 0) / slotLength)
        while slots.count <= index { slots.append(ReplayResult.Slot()) }
        return index
    }

    mutating func fill(_ result: inout ReplayResult) {
        while !open.isEmpty { closeFirst() }
        (result.slotLength, result.slots) = (.nanoseconds(slotLength), slots)
    }
}
