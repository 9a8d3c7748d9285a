// What waits for the writer: at most one operation for each key, the latest, so that a burst of the same key is one write.
// Must hold: an operation stays visible to readers until it is committed or lost, so that nobody reads what is about to
// be replaced or removed; bytes queued are bounded, and what does not fit is dropped, never waited for.

struct PendingWrites {
    enum Operation {
        case store(StoredResponse)
        /// Of an entry received by then at the latest; `Int64.max` for whatever there is.
        case remove(CacheKey, receivedBy: Int64)

        var byteCount: Int {
            switch self {
            case .store(let response): response.byteCount
            case .remove: 128
            }
        }
    }

    /// The most that may wait, in bytes of memory; beyond, stores are dropped.
    static let maxBytes = 32 << 20
    /// The most last-use times that wait to be written; beyond, they are forgotten.
    static let maxTouches = 16_384

    private(set) var queued: [Int64: Operation] = [:]
    private(set) var inFlight: [Int64: Operation] = [:]
    /// Key to unix seconds.
    private var touches: [Int64: Int64] = [:]
    private(set) var byteCount = 0
    /// Whether a drain of the queue is on its way.
    var isDrainScheduled = false

    var hasTouches: Bool { !touches.isEmpty }
    var isEmpty: Bool { queued.isEmpty && touches.isEmpty }

    /// What is about to become of the row of `index`, the latest first.
    func operation(_ index: Int64) -> Operation? {
        queued[index] ?? inFlight[index]
    }

    /// False where it did not fit. Removals always fit: they are small, and leaving one out would serve what must not be.
    mutating func enqueue(_ operation: Operation, _ index: Int64) -> Bool {
        if case .remove(_, let receivedBy) = operation, case .store(let newer) = self.operation(index),
            newer.receivedAt > receivedBy
        {
            return true
        }
        if case .store = operation, byteCount + operation.byteCount > Self.maxBytes {
            // What waits for this key is older than what could not be taken.
            if let older = queued.removeValue(forKey: index) { byteCount -= older.byteCount }
            return false
        }
        if let older = queued.updateValue(operation, forKey: index) { byteCount -= older.byteCount }
        byteCount += operation.byteCount
        return true
    }

    mutating func touch(_ index: Int64, at unixSeconds: Int64) {
        guard touches.count < Self.maxTouches || touches[index] != nil else { return }
        touches[index] = max(unixSeconds, touches[index] ?? 0)
    }

    /// Moves up to so many bytes of operations in flight, and all last-use times out.
    mutating func takeBatch(maxBytes: Int) -> (operations: [Int64: Operation], touches: [Int64: Int64]) {
        var taken = 0
        for (index, operation) in queued {
            guard taken == 0 || taken + operation.byteCount <= maxBytes else { continue }
            taken += operation.byteCount
            inFlight[index] = operation
            if taken >= maxBytes { break }
        }
        for index in inFlight.keys { queued[index] = nil }
        byteCount -= taken
        defer { touches.removeAll(keepingCapacity: true) }
        return (inFlight, touches)
    }

    /// What was in flight is done, or lost.
    mutating func finish() {
        inFlight.removeAll(keepingCapacity: true)
    }

    /// What was in flight waits again, unless something newer does.
    mutating func putBack() {
        for (index, operation) in inFlight where queued[index] == nil {
            queued[index] = operation
            byteCount += operation.byteCount
        }
        inFlight.removeAll(keepingCapacity: true)
    }

    /// Forgets the stores that `isChosen` picks: they were purged before they were written.
    mutating func drop(_ isChosen: (StoredResponse) -> Bool) {
        for (index, operation) in queued {
            guard case .store(let response) = operation, isChosen(response) else { continue }
            queued[index] = nil
            byteCount -= operation.byteCount
        }
    }
}
