import HTTP
import Proxy

/// The figures of a run while it goes on. Counting allocates nothing but for failures and new
/// slots.
struct ReplayTally: Sendable {
    private(set) var sent = 0
    private(set) var answered = 0
    private(set) var failed = 0
    private(set) var corrected = Histogram()
    private var uncorrected = Histogram()
    private(set) var lag = Histogram()
    private var bytes = 0
    private var statuses = [Int](repeating: 0, count: 1000)
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
    private var failures: [String: Int] = [:]
    private var slots: [ReplayResult.Slot] = []
    private var slotLatencies = Histogram()
    private let slotLength: Int64

    /// Reports draw so many points at most, where the length of the run is known.
    private static let mostSlots = 600
    private static let slotLengths: [Int64] = [100, 500, 1000, 5000, 10_000, 60_000, 600_000]

    /// - Parameter length: of the run, as far as it is known.
    init(expecting length: Duration?) {
        let nanoseconds = Int64((length ?? .zero) / .nanoseconds(1))
        let lengths = Self.slotLengths.map { $0 * 1_000_000 }
        let usual: Int64 = 1_000_000_000
        slotLength =
            length == nil ? usual : lengths.first { nanoseconds / $0 < Int64(Self.mostSlots) } ?? 3_600_000_000_000
    }

    /// A request has gone to a connection.
    mutating func noteSent(at now: Int64) {
        sent += 1
        slots[slot(at: now)].sent += 1
    }

    /// How late the generator was with a request.
    mutating func noteLag(_ nanoseconds: Int64) {
        lag.record(nanoseconds: nanoseconds)
    }

    /// An answer is whole.
    mutating func noteAnswer(_ reader: AnswerReader, corrected: Int64, uncorrected: Int64, at now: Int64) {
        answered += 1
        bytes += reader.length
        statuses[min(reader.status, 999)] += 1
        self.corrected.record(nanoseconds: corrected)
        self.uncorrected.record(nanoseconds: uncorrected)
        let slot = slot(at: now)
        slots[slot].answered += 1
        slotLatencies.record(nanoseconds: corrected)
        guard let outcome = reader.outcome else { return }
        outcomes[outcome.rawValue] += 1
        switch outcome.side {
        case .hit: slots[slot].hits += 1
        case .miss: slots[slot].misses += 1
        case .neither: break
        }
    }

    mutating func noteFailure(_ reason: String, at now: Int64) {
        failed += 1
        failures[reason, default: 0] += 1
        slots[slot(at: now)].failed += 1
    }

    /// Of the slot that `now` is in, which is the last.
    private mutating func slot(at now: Int64) -> Int {
        let index = Int(max(now, 0) / slotLength)
        if index >= slots.count {
            closeSlot()
            while slots.count <= index { slots.append(ReplayResult.Slot()) }
        }
        return slots.count - 1
    }

    private mutating func closeSlot() {
        guard slotLatencies.count > 0 else { return }
        slots[slots.count - 1].median = slotLatencies.quantile(0.5)
        slots[slots.count - 1].p99 = slotLatencies.quantile(0.99)
        slots[slots.count - 1].maximum = slotLatencies.maximum
        slotLatencies.removeAll()
    }

    /// Writes what was counted into a result.
    mutating func fill(_ result: inout ReplayResult) {
        closeSlot()
        result.sent = sent
        result.answered = answered
        result.failures = failures
        result.bytesReceived = bytes
        for (status, count) in statuses.enumerated() where count > 0 { result.statuses[status] = count }
        for outcome in Outcome.allCases where outcomes[outcome.rawValue] > 0 {
            result.outcomes[outcome.name] = outcomes[outcome.rawValue]
        }
        (result.corrected, result.uncorrected, result.lag) = (corrected, uncorrected, lag)
        (result.slotLength, result.slots) = (.nanoseconds(slotLength), slots)
    }
}
