// Tells directory and segments of a transaction's changes to rows, once it is committed.
// Must hold: nothing is told of a transaction that failed; live records are counted for keys up to
// `counted`: when a file is opened, its rows are counted in the order of their keys.

final class RowLedger {
    private let directory: KeyDirectory
    var log: SegmentLog
    /// Keys up to this have been counted.
    private(set) var counted = Int64.min
    private var changes: [(key: Int64, place: Int64?)] = []
    private var named: [Place] = []
    private var dropped: [Place] = []

    init(_ directory: KeyDirectory, _ log: SegmentLog) {
        self.directory = directory
        self.log = log
        directory.forget()
    }

    /// Whether the live bytes of each segment are known.
    var isComplete: Bool { counted == .max }

    func find(_ key: Int64) -> KeyDirectory.Finding { directory.find(key) }

    /// Called when a row of the key was written; its record is at `place`.
    func add(_ key: Int64, at place: Place) {
        changes.append((key, place.number))
        if key <= counted { named.append(place) }
    }

    /// Runs a statement that deletes rows of entries and returns the key and the place of each.
    func remove(by deletion: Statement, _ values: [SQLValue]) throws(SQLiteError) {
        try deletion.forEachRow(values) { row in
            let key = row.integer(0)
            changes.append((key, nil))
            if key <= counted, let place = Place(ofRow: row.integer(1)) { dropped.append(place) }
            return true
        }
    }

    /// Called when a row names another place than before, or names it in another way.
    func move(_ key: Int64, from old: Int64, to new: Int64) {
        changes.append((key, new))
        guard key <= counted, old.magnitude != new.magnitude else { return }
        if let place = Place(ofRow: old) { dropped.append(place) }
        if let place = Place(ofRow: new) { named.append(place) }
    }

    /// Tells directory and segments of the changes: their transaction is committed.
    func commit() {
        for change in changes { directory.set(change.key, change.place) }
        log.note(named: named, dropped: dropped)
    }

    /// Called at the end of every transaction, committed or not.
    func forgetChanges() {
        changes.removeAll(keepingCapacity: true)
        named.removeAll(keepingCapacity: true)
        dropped.removeAll(keepingCapacity: true)
    }

    /// Takes rows in the order of their keys, of which there are no others up to `last`.
    func learn(_ rows: [(key: Int64, place: Int64)], through last: Int64) {
        let places = rows.compactMap { Place(ofRow: $0.place) }
        log.note(named: places, dropped: [])
        if directory.known == counted, directory.hasRoom(for: rows.count) { directory.learn(rows, through: last) }
        counted = last
    }

    /// Whether a segment could go, if all that was committed were on the disk.
    var hasDeadSegments: Bool { isComplete && !log.deadSegments.isEmpty }

    /// Called when all that was committed is on the disk. After that no loss of power brings back a
    /// row that names a dead segment.
    func noteCheckpoint() {
        guard isComplete else { return }
        for segment in log.deadSegments { log.remove(segment) }
    }
}
