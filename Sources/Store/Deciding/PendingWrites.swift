// The queue of the writer: at most one operation for each key, the latest, so that a burst of the
// same key is one write. It is written in rounds: all that waited when a round began.
// Must hold: an operation stays visible to readers until it is committed or lost, so that no reader
// gets a record that is about to be replaced or removed; the mark of a purge is in the file before
// any record that was born under its number, or the number would be given out again after a crash;
// all of it is bounded in bytes, and a store that does not fit is dropped, never waited for; under
// the lock that loops take, nothing takes longer than one batch is large.

/// A record in the queue, which both of its tables and a batch may hold at once.
final class WaitingRecord: Sendable {
    let record: Record
    init(_ record: Record) { self.record = record }
}

struct PendingWrites {
    enum Operation {
        case store(WaitingRecord)
        /// Removes an entry received by then at the latest; `Int64.max` for whatever there is. The
        /// index alone says of which key: another key of the same index is a miss once.
        case remove(receivedBy: Int64)

        /// To be stored; nil for a removal.
        var waiting: WaitingRecord? {
            if case .store(let waiting) = self { waiting } else { nil }
        }

        var byteCount: Int { waiting?.record.byteCount ?? PendingWrites.removalBytes }
        /// About its bytes in the database and in the log.
        var rowBytes: Int { SpaceBounds.estimate(rowBytes: waiting?.record.rowByteCount ?? 0) }
        /// About its bytes in a segment.
        var recordBytes: Int { waiting.map { Place.span(of: $0.record.byteCount) } ?? 0 }
    }

    typealias Batch = [(key: Int64, operation: Operation)]

    /// How an operation was taken.
    enum Admission {
        case taken
        /// It did not fit, and nothing older is left of its key.
        case dropped
        /// Too many removals wait. They stay until a purge of everything counts in their place
        /// (`forgetRemovals`).
        case overflown
    }

    /// The most that may wait or be in flight, in bytes of memory.
    static let maxBytes = StoreMemory.pendingBytes
    /// A part of it that only removals may use.
    static let reservedBytes = maxBytes / 8
    /// The size of a removal, with its place in two tables.
    static let removalBytes = 128
    /// The most last-use times that wait to be written; beyond, they are forgotten.
    static let maxTouches = 16_384
    /// The most operations in one batch, which are noted as done under one turn of the lock.
    static let maxBatch = 1_024

    /// Why a turn of writing is on the way.
    enum Turn {
        /// For new operations.
        case scheduled
        /// Before the one that is scheduled, because many bytes wait.
        case early
        /// For the rest of the round.
        case next
    }

    private(set) var queued: [Int64: Operation] = [:]
    /// The rest of the round.
    private(set) var inFlight: [Int64: Operation] = [:]
    /// Key to unix seconds.
    private var touches: [Int64: Int64] = [:]
    private var marks = PendingMarks()
    /// Marks of the round: they are written after all of its operations.
    private var roundMarks = PendingMarks()
    /// Marks of purges, which are written before any operation that comes after them.
    private(set) var purges = PendingPurgeMarks()
    /// The size of all that is queued or in flight.
    private(set) var byteCount = 0
    private var turnsOnTheWay: Set<Turn> = []
    /// Rounds that were written.
    private(set) var roundCount = 0
    /// Whether no file will take anything any more.
    private var isUnwritten = false
    /// Whether look-ups ask no more either.
    private var isClosed = false
    /// Whether the writer comes by itself, after a failure.
    private var isHeld = false

    var hasTouches: Bool { !touches.isEmpty }
    var isEmpty: Bool {
        queued.isEmpty && inFlight.isEmpty && touches.isEmpty && marks.isEmpty && roundMarks.isEmpty && purges.isEmpty
    }

    /// Whether the caller is to schedule such a turn, because none is on the way.
    mutating func claim(_ turn: Turn) -> Bool {
        !isUnwritten && (turn == .next || !isHeld) && turnsOnTheWay.insert(turn).inserted
    }

    mutating func begin(_ turn: Turn) { turnsOnTheWay.remove(turn) }

    /// After a failure the writer comes back by itself, and nothing that is stored makes it sooner.
    mutating func hold() { isHeld = true }

    /// The file works again; whether something has come meanwhile.
    mutating func release() -> Bool {
        defer { isHeld = false }
        return isHeld && !isEmpty
    }

    /// The latest operation on the row of `index` that is not written yet.
    func operation(_ index: Int64) -> Operation? { queued[index] ?? inFlight[index] }

    /// Queues an operation. Where a store does not fit, the older record that the file may have
    /// (`isInFile`), or is to get, is removed.
    mutating func enqueue(_ operation: Operation, _ index: Int64, isInFile: @autoclosure () -> Bool = false)
        -> Admission
    {
        if isClosed { return .taken }
        switch operation {
        case .remove(let receivedBy):
            if let newer = self.operation(index)?.waiting, newer.record.facts.receivedAt > receivedBy { return .taken }
            return queueRemoval(operation, index) ? .taken : .overflown
        case .store:
            guard byteCount + operation.byteCount > Self.maxBytes - Self.reservedBytes else {
                queue(operation, index)
                return .taken
            }
            guard self.operation(index) != nil || isInFile() else { return .dropped }
            return queueRemoval(.remove(receivedBy: .max), index) ? .dropped : .overflown
        }
    }

    /// False where there are too many.
    private mutating func queueRemoval(_ operation: Operation, _ index: Int64) -> Bool {
        queue(operation, index)
        return byteCount <= Self.maxBytes
    }

    /// Drops all removals that wait: a purge of everything counts by now.
    mutating func forgetRemovals() {
        for (index, operation) in queued {
            guard case .remove = operation else { continue }
            byteCount -= operation.byteCount
            queued[index] = nil
        }
    }

    private mutating func queue(_ operation: Operation, _ index: Int64) {
        if let older = queued.updateValue(operation, forKey: index) { byteCount -= older.byteCount }
        byteCount += operation.byteCount
    }

    mutating func touch(_ index: Int64, at unixSeconds: Int64) {
        guard !isUnwritten, touches.count < Self.maxTouches || touches[index] != nil else { return }
        touches[index] = max(unixSeconds, touches[index] ?? 0)
    }

    /// - Returns: false where purges that wait were forgotten (`PendingPurgeMarks.add`).
    @discardableResult
    mutating func add(_ mark: StoreMark) -> Bool {
        guard !isUnwritten else { return true }
        if mark.table == .purge { return purges.add(mark) }
        marks.add(mark)
        return true
    }

    /// Forgets marks of purges that were written to the file.
    mutating func finish(purges written: [StoreMark]) { purges.finish(written) }

    /// The marks of purges that wait are written in another way.
    mutating func dropPurges() { purges = PendingPurgeMarks() }

    /// Moves all operations in flight, where nothing is by then, and with them the marks that are
    /// to be written after them. Takes no longer for many than for few.
    mutating func beginRound() {
        guard inFlight.isEmpty, roundMarks.isEmpty else { return }
        swap(&queued, &inFlight)
        swap(&marks, &roundMarks)
    }

    /// Up to `most` last-use times and the marks of the round, which come after its operations;
    /// whether these are all.
    mutating func takeRest(
        _ most: Int
    ) -> (touches: [(key: Int64, value: Int64)], marks: [StoreMark], isAll: Bool) {
        precondition(inFlight.isEmpty, "operations come first")
        // A slice would share the table, and the first removal would copy all of it.
        let taken = Array(touches.prefix(most))
        for (key, _) in taken { touches[key] = nil }
        return (taken, roundMarks.all, touches.isEmpty)
    }

    /// The marks of the round are written. It is over unless more last-use times wait than
    /// `takeRest` gave.
    /// - Returns: whether something came during the round that can be written now.
    @discardableResult
    mutating func finishRound(isOver: Bool = true) -> Bool {
        let isMore = !queued.isEmpty || !marks.isEmpty || !purges.isEmpty
        roundMarks = PendingMarks()
        if isOver { roundCount += 1 }
        return isMore
    }

    /// The next operations of the round: at least one if there is any, else up to `maxBytes` of
    /// rows, `maxRecordBytes` of records, and `maxBatch`.
    func nextBatch(maxBytes: Int, maxRecordBytes: Int = .max) -> Batch {
        var batch: Batch = []
        batch.reserveCapacity(min(inFlight.count, Self.maxBatch))
        var (bytes, recordBytes) = (0, 0)
        for (key, operation) in inFlight {
            bytes += operation.rowBytes
            recordBytes += operation.recordBytes
            if !batch.isEmpty, bytes > maxBytes || recordBytes > maxRecordBytes || batch.count == Self.maxBatch {
                break
            }
            batch.append((key, operation))
        }
        return batch
    }

    /// A batch of the operations in flight is done.
    mutating func finish(_ batch: Batch) {
        for (key, operation) in batch where inFlight.removeValue(forKey: key) != nil {
            byteCount -= operation.byteCount
        }
    }

    /// Operations in flight wait again, unless newer ones do.
    mutating func putBack() {
        for (index, operation) in queued {
            if let older = inFlight.updateValue(operation, forKey: index) { byteCount -= older.byteCount }
        }
        queued = [:]
        swap(&queued, &inFlight)
        roundMarks.add(marks)
        (marks, roundMarks) = (roundMarks, PendingMarks())
    }

    /// No file will take anything any more. Operations stay, for look-ups.
    mutating func keepUnwritten() {
        isUnwritten = true
        touches = [:]
        (marks, roundMarks, purges) = (PendingMarks(), PendingMarks(), PendingPurgeMarks())
    }

    /// Forgets everything, and takes nothing any more.
    mutating func close() {
        self = PendingWrites()
        (isUnwritten, isClosed) = (true, true)
    }

    /// The records that wait to be stored, and all keys of which anything waits.
    var waiting: (records: [(key: Int64, waiting: WaitingRecord)], keys: [Int64]) {
        let records = [queued, inFlight].joined().compactMap { key, operation in
            operation.waiting.map { (key: key, waiting: $0) }
        }
        return (records, Array(queued.keys) + Array(inFlight.keys))
    }

    /// Puts `operation` in place of storing a record, unless that waits no longer.
    mutating func replace(_ waiting: WaitingRecord, with operation: Operation, _ index: Int64) {
        Self.replace(waiting, with: operation, index, in: &queued, &byteCount)
        Self.replace(waiting, with: operation, index, in: &inFlight, &byteCount)
    }

    private static func replace(
        _ replaced: WaitingRecord, with operation: Operation, _ index: Int64,
        in operations: inout [Int64: Operation], _ byteCount: inout Int
    ) {
        guard let older = operations[index], older.waiting === replaced else { return }
        operations[index] = operation
        byteCount += operation.byteCount - older.byteCount
    }
}
