import Synchronization

// One loop's reader of the file: it asks the writer's queue, then the directory, then the database.
// Must hold: a look-up never waits for the disk's writing or another process (WAL; no busy timeout)
// and is a miss on any trouble; no record comes out whose checksum does not match.

/// Looks records up on disk. For the loop that made it.
public final class RecordReader: Sendable {
    private let shared: SharedState
    private let runner: StoreRunner
    private let connection = Mutex(ReaderConnection())

    init(_ shared: SharedState, _ runner: StoreRunner) {
        (self.shared, self.runner) = (shared, runner)
    }

    /// The record of `key`; nil where there is none, it is damaged, or the disk fails.
    ///
    /// - Parameters:
    ///   - index: `key.index`.
    ///   - now: in unix seconds; it paces attempts to open a file that cannot be opened.
    public func find(_ key: RecordKey, _ index: Int64, at now: Int64) -> Record? {
        let swept = shared.owner.sweptPurges
        switch shared.pending.withLock({ $0.operation(index) }) {
        case .store(let waiting):
            return waiting.record.key == key ? waiting.record.left(at: now, since: swept, shared.owner) : nil
        case .remove: return nil
        case nil: break
        }
        let generation = shared.generation.load(ordering: .acquiring)
        guard generation > 0 else { return nil }
        let home = shared.home
        var place: Place?
        do throws(SQLiteError) {
            let found = try find(key.relative(to: home), index.relative(to: home), generation, at: now, &place)
            // Another file may have another home: what was found there is of another origin.
            guard shared.generation.load(ordering: .acquiring) == generation else { return nil }
            switch found {
            case .record(let record): return record.relative(to: home).left(at: now, since: swept, shared.owner)
            case .missing: return nil
            case .damaged:
                runner.removeDamaged(index)
                return nil
            }
        } catch {
            runner.noteFailedRead(error, generation: generation, at: place)
            return nil
        }
    }

    /// - Parameters:
    ///   - key: relative to the home of the file, as `index`.
    ///   - place: where the last record is that was looked at.
    private func find(
        _ key: RecordKey, _ index: Int64, _ generation: Int, at now: Int64, _ place: inout Place?
    ) throws(SQLiteError) -> RecordRow.Found {
        switch shared.directory.find(index) {
        case .absent: return .missing
        case .unknown: break
        case .place(let known):
            place = known
            if let record = try shared.segments.read(known, { SegmentRecord.record(for: key, $0) }) ?? nil {
                return .record(record)
            }
        // Moved, another key's, or damaged: the row tells.
        }
        return try connection.withLock { (connection) throws(SQLiteError) in
            try connection.find(key, index, in: shared, generation, at: now, &place)
        }
    }
}
