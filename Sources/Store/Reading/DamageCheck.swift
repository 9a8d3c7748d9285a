import Dispatch
import Synchronization

// The slow look at every row of the file: damage that no look-up has met is found before a client
// asks for the answer.
// Must hold: it reads no faster than it was told and for a tenth of the time at most, through a
// connection of its own, and not while the writer is busy; a piece ends its read transaction before
// anything else is done; a row goes only after the writer has read it again and found the same.

/// The point that the look has come to. Confined to the queue of checks.
struct CheckPass {
    /// The findings in one piece.
    struct Piece {
        var rows = 0
        var bytes = 0
        /// The numbers of damaged rows.
        var damaged: [Int64] = []
        var isLast: Bool { rows == 0 }
    }

    /// The bounds of a piece.
    static let pieceRows = 256
    static let pieceBytes = 256 << 10
    /// The bytes read for a row besides its content.
    private static let rowBytes = 512
    /// Times as much rest as work, whatever the disk does.
    private static let rests: UInt64 = 9

    private var database: Database?
    private var generation = 0
    private var last = Int64.min
    /// In the current pass.
    private(set) var rows = 0
    var dropped = 0

    /// Looks at the next piece of the file that is open now, from its beginning where it is another
    /// one. Nil where there is none.
    mutating func next(_ shared: SharedState, _ runner: StoreRunner) throws(SQLiteError) -> Piece? {
        let current = shared.generation.load(ordering: .acquiring)
        guard current > 0 else { return nil }
        if database == nil || generation != current {
            self = CheckPass()
            database = try Database(reading: shared.path)
            generation = current
        }
        guard let database else { return nil }
        var (piece, found): (Piece, [CheckedRow]) = (Piece(), [])
        let select = try Statement(database, RecordRow.selectAfter)
        try select.forEachRow([.integer(last), .integer(Int64(Self.pieceRows))]) { row in
            let checked = CheckedRow(row)
            piece.bytes += Self.rowBytes + (checked.row.place?.span ?? 0)
            found.append(checked)
            return piece.bytes < Self.pieceBytes
        }
        for checked in found {
            let isIntact = try runner.ifReadable(checked.row.place, generation) { () throws(SQLiteError) in
                try checked.isIntact(in: shared)
            }
            // Rows of a segment that cannot be read go with the segment.
            if isIntact == false { piece.damaged.append(checked.row.id) }
        }
        last = found.last?.row.id ?? last
        piece.rows = found.count
        rows += piece.rows
        return piece
    }

    /// Nanoseconds of rest after `bytes` that took so long, where `rate` bytes a second may be
    /// read.
    static func rest(bytes: Int, took nanoseconds: UInt64, rate: Int) -> UInt64 {
        max(UInt64(bytes) * 1_000_000_000 / UInt64(max(rate, 1)), nanoseconds * rests)
    }
}

/// Goes through the file again and again, as slowly as it is told.
final class DamageCheck: Sendable {
    private let shared: SharedState
    private let runner: StoreRunner
    private let queue = DispatchQueue(label: "refrain.cache.checks", qos: .background)
    private let pass = Mutex(CheckPass())
    private let bytesPerSecond = Atomic<Int>(0)
    /// Counts up when checking begins: an earlier run ends.
    private let runs = Atomic<Int>(0)

    /// The pause before the first look, after a pass, and while the writer has much to do.
    private static let firstPause = DispatchTimeInterval.seconds(5)
    private static let pauseBetweenPasses = DispatchTimeInterval.seconds(6 * 3_600)
    private static let pauseUnderLoad = DispatchTimeInterval.seconds(1)
    /// Bytes waiting in the writer, beyond which it has much to do.
    private static let load = 1 << 20

    init(_ shared: SharedState, _ runner: StoreRunner) {
        (self.shared, self.runner) = (shared, runner)
    }

    /// How many bytes a second are looked at, 0 for none. The first that is not 0 begins.
    var rate: Int {
        get { bytesPerSecond.load(ordering: .relaxed) }
        set {
            let before = bytesPerSecond.exchange(max(newValue, 0), ordering: .relaxed)
            guard before == 0, newValue > 0 else { return }
            let run = runs.wrappingAdd(1, ordering: .relaxed).newValue
            queue.asyncAfter(deadline: .now() + Self.firstPause) { @Sendable [weak self] in self?.goOn(run) }
        }
    }

    /// Checks a piece, and the next after a rest.
    private func goOn(_ run: Int) {
        let rate = rate
        guard rate > 0, runs.load(ordering: .relaxed) == run, shared.counters.withLock({ $0.health }) != .closed
        else { return }
        var pause = Self.pauseUnderLoad
        if shared.pending.withLock({ $0.byteCount }) < Self.load {
            let begun = DispatchTime.now().uptimeNanoseconds
            if let piece = checkPiece() {
                let took = DispatchTime.now().uptimeNanoseconds - begun
                pause =
                    piece.isLast
                    ? Self.pauseBetweenPasses
                    : .nanoseconds(Int(clamping: CheckPass.rest(bytes: piece.bytes, took: took, rate: rate)))
            }
        }
        queue.asyncAfter(deadline: .now() + pause) { @Sendable [weak self] in self?.goOn(run) }
    }

    /// Looks at the next piece and drops its damaged rows; nil where there is no file that can be
    /// read. The last piece of a pass has no rows. For the queue of checks, and tests.
    @discardableResult
    func checkPiece() -> CheckPass.Piece? {
        let current = shared.generation.load(ordering: .acquiring)
        do throws(SQLiteError) {
            let next = try pass.withLock { (pass) throws(SQLiteError) in try pass.next(shared, runner) }
            guard let piece = next else { return nil }
            shared.counters.withLock { $0.checked += piece.rows }
            if !piece.damaged.isEmpty { drop(piece.damaged) }
            if piece.isLast { endPass() }
            return piece
        } catch {
            runner.noteFailedRead(error, generation: current)
            pass.withLock { $0 = CheckPass() }
            return nil
        }
    }

    private func drop(_ damaged: [Int64]) {
        let dropped = runner.queue.sync { runner.work.withLock { $0.drop(damaged: damaged) } }
        let isFirst = pass.withLock { pass in
            defer { pass.dropped += dropped }
            return pass.dropped == 0
        }
        guard isFirst, dropped > 0 else { return }
        runner.work.withLock {
            $0.tell(
                "the background check found damage: damaged rows are removed, and the check continues")
        }
    }

    private func endPass() {
        let (rows, dropped) = pass.withLock { pass in
            defer { pass = CheckPass() }
            return (pass.rows, pass.dropped)
        }
        guard dropped > 0 else { return }
        runner.work.withLock { $0.tell("\(dropped) of \(rows) rows were damaged and were removed") }
    }
}
