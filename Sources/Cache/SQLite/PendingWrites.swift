// What waits for the writer: at most one operation for each key, the latest, so that a burst of the
// same key is one write. Must hold: an operation stays visible to readers until it is committed or
// lost, so that no reader gets what is about to be replaced or removed; bytes queued and in flight
// are bounded, and what does not fit is dropped, never waited for; under the lock that loops take,
// nothing takes longer than one batch is large.

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

        /// About what it takes in the database and in its log.
        var rowBytes: Int {
            switch self {
            case .store(let response): StoreBounds.estimate(rowBytes: response.rowByteCount)
            case .remove: StoreBounds.estimate(rowBytes: 0)
            }
        }

        /// About what it takes in a segment.
        var recordBytes: Int {
            switch self {
            case .store(let response): Place.span(of: response.filedByteCount)
            case .remove: 0
            }
        }
    }

    /// The most that may wait or be in flight, in bytes of memory; beyond, stores are dropped.
    static let maxBytes = StoreMemory.pendingBytes
    /// The most last-use times that wait to be written; beyond, they are forgotten.
    static let maxTouches = 16_384
    /// The most operations in one batch: what one turn of the lock has to note as done.
    static let maxBatch = 1_024

    /// Why a drain of the queue is on the way.
    enum Drain {
        /// For what has come, or again after a failure.
        case scheduled
        /// Before the one that is scheduled, because much has come.
        case early
    }

    private(set) var queued: [Int64: Operation] = [:]
    private(set) var inFlight: [Int64: Operation] = [:]
    /// Key to unix seconds.
    private var touches: [Int64: Int64] = [:]
    /// Of what is queued or in flight.
    private(set) var byteCount = 0
    private var drainsOnTheWay: Set<Drain> = []

    var hasTouches: Bool { !touches.isEmpty }
    /// Last-use times that wait.
    var touchCount: Int { touches.count }
    var isEmpty: Bool { queued.isEmpty && touches.isEmpty }

    /// Whether the caller is to schedule such a drain, because none is on the way.
    mutating func claim(_ drain: Drain) -> Bool { drainsOnTheWay.insert(drain).inserted }

    mutating func begin(_ drain: Drain) { drainsOnTheWay.remove(drain) }

    /// What is about to become of the row of `index`, the latest first.
    func operation(_ index: Int64) -> Operation? {
        queued[index] ?? inFlight[index]
    }

    /// False where it did not fit; what the file may have of an older answer (`isInFile`), or is to
    /// get, is removed then. Removals always fit: they are small, and leaving one out would serve
    /// what must not be.
    mutating func enqueue(_ operation: Operation, _ index: Int64, isInFile: @autoclosure () -> Bool = false) -> Bool {
        if case .remove(_, let receivedBy) = operation, case .store(let newer) = self.operation(index),
            newer.receivedAt > receivedBy
        {
            return true
        }
        if case .store(let response) = operation, byteCount + operation.byteCount > Self.maxBytes {
            if self.operation(index) != nil || isInFile() {
                queue(.remove(response.key, receivedBy: .max), index)
            }
            return false
        }
        queue(operation, index)
        return true
    }

    private mutating func queue(_ operation: Operation, _ index: Int64) {
        if let older = queued.updateValue(operation, forKey: index) { byteCount -= older.byteCount }
        byteCount += operation.byteCount
    }

    mutating func touch(_ index: Int64, at unixSeconds: Int64) {
        guard touches.count < Self.maxTouches || touches[index] != nil else { return }
        touches[index] = max(unixSeconds, touches[index] ?? 0)
    }

    /// Moves all operations in flight, where nothing is by then, and all last-use times out. Takes
    /// no longer for many than for few: the caller cuts batches from them (`nextBatch`) after it
    /// has let go of the lock.
    mutating func takeAll() -> (operations: [Int64: Operation], touches: [Int64: Int64]) {
        swap(&queued, &inFlight)
        var taken: [Int64: Int64] = [:]
        swap(&touches, &taken)
        return (inFlight, taken)
    }

    /// Moves up to `most` operations in flight, where nothing is by then; or takes as many last-use
    /// times out where no operation waits.
    mutating func take(_ most: Int) -> (operations: [(key: Int64, operation: Operation)], touches: [Int64: Int64]) {
        let operations = queued.prefix(most).map { (key: $0.key, operation: $0.value) }
        for (key, operation) in operations {
            queued[key] = nil
            inFlight[key] = operation
        }
        guard operations.isEmpty else { return (operations, [:]) }
        // A slice would share the table, and the first removal would copy all of it.
        let taken = Array(touches.prefix(most))
        for (key, _) in taken { touches[key] = nil }
        return ([], Dictionary(uniqueKeysWithValues: taken))
    }

    /// Takes the next operations of `waiting` off its end: at least one if there is any, else up to
    /// `maxBytes` of rows, `maxRecordBytes` of records, and `maxBatch`.
    static func nextBatch(
        of waiting: inout [(key: Int64, operation: Operation)], maxBytes: Int, maxRecordBytes: Int = .max
    ) -> [(key: Int64, operation: Operation)] {
        var (bytes, recordBytes, start) = (0, 0, waiting.count)
        while start > 0, waiting.count - start < Self.maxBatch {
            bytes += waiting[start - 1].operation.rowBytes
            recordBytes += waiting[start - 1].operation.recordBytes
            if bytes > maxBytes || recordBytes > maxRecordBytes, start < waiting.count { break }
            start -= 1
        }
        let batch = Array(waiting[start...])
        waiting.removeSubrange(start...)
        return batch
    }

    /// A batch of what was in flight is done.
    mutating func finish(_ batch: [(key: Int64, operation: Operation)]) {
        for (key, operation) in batch where inFlight.removeValue(forKey: key) != nil {
            byteCount -= operation.byteCount
        }
    }

    /// What is in flight waits again, unless something newer does.
    mutating func putBack() {
        for (index, operation) in queued {
            if let older = inFlight.updateValue(operation, forKey: index) { byteCount -= older.byteCount }
        }
        queued = [:]
        swap(&queued, &inFlight)
    }

    /// Forgets everything. None of it will be written.
    mutating func removeAll() {
        (queued, inFlight, touches, byteCount) = ([:], [:], [:], 0)
    }

    /// The responses that wait to be stored.
    var queuedResponses: [(key: Int64, response: StoredResponse)] {
        queued.compactMap { key, operation in
            if case .store(let response) = operation { (key, response) } else { nil }
        }
    }

    /// Puts `operation` in place of storing `response`, unless something newer waits for its key.
    mutating func replace(_ response: StoredResponse, with operation: Operation, _ index: Int64) {
        guard case .store(let queuedResponse) = queued[index], queuedResponse === response,
            let older = queued.updateValue(operation, forKey: index)
        else { return }
        byteCount += operation.byteCount - older.byteCount
    }
}
