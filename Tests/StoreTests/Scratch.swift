import Foundation
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Store

/// The lines of a log; the store that writes them must not keep its scratch alive.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A store's files, in a directory that goes away with the test.
final class Scratch: Sendable {
    private let folder = try? TemporaryFolder()
    private let lines = Lines()
    var directory: String { folder?.path ?? "/nonexistent" }

    var file: String { directory + "/cache.sqlite" }
    var names: [String] { (try? folder?.names) ?? [] }
    /// The lines of the log.
    var said: [String] { lines.all }
    var segments: [Int: Int] { (try? Segments.listed(in: Segments.folder(of: file))) ?? [:] }
    /// The files that were set aside, without their journals and segments.
    var setAside: [String] {
        names.filter { name in
            name.contains(".corrupt-") && !["-journal", "-wal", "-shm", ".segments"].contains { name.hasSuffix($0) }
        }
    }

    /// - Parameters:
    ///   - lock: that of the file; without one it is taken here.
    ///   - now: the wall clock, after all times that tests write.
    ///   - log: gets the lines in place of `said`.
    func open(
        maxBytes: Int = 64 << 20, file: String? = nil, owner: PlainOwner = PlainOwner(), isTemporary: Bool = false,
        lock: StoreLock? = nil, now: @escaping @Sendable () -> Int64 = { 4_000_000_000 },
        log: (@Sendable (String) -> Void)? = nil
    ) -> RecordStore {
        let file = file ?? self.file
        // A program that another test starts has a copy of a lock's descriptor for a moment.
        let lock = isTemporary ? nil : lock ?? (try? StoreLock.take(file, within: .milliseconds(500)) { _ in })
        return RecordStore.open(
            path: file, maxBytes: maxBytes, classNames: ["albums", "songs"], owner: owner, isTemporary: isTemporary,
            lock: lock, unixSeconds: now,
            log: log ?? { [lines] in lines.append($0) })
    }

    func openWithReader(maxBytes: Int = 64 << 20, file: String? = nil) -> (store: RecordStore, reader: RecordReader) {
        let store = open(maxBytes: maxBytes, file: file)
        return (store, store.makeReader())
    }

    /// Writes these into the file, and closes it.
    func fill(_ records: [Record], maxBytes: Int = 64 << 20, atOnce: Int = .max) {
        let store = open(maxBytes: maxBytes)
        store.write(records, atOnce: atOnce)
        store.close()
    }

    /// Where the segment was there is a directory, which can be opened and not be read.
    func makeUnreadable(_ segment: Int) {
        let path = Segments(besides: file).path(segment)
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
    }

    /// Overwrites everything after the first page with rubbish, under the open connections.
    func damage() throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 4_096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: size - 4_096))
        try handle.close()
    }

    /// Changes one byte of that text in the first segment. A copy may be in a place that is free by
    /// then.
    func flip(_ text: String) throws {
        let (segment, text) = (URL(fileURLWithPath: Segments(besides: file).path(1)), Data(text.utf8))
        var bytes = try Data(contentsOf: segment)
        try #require(bytes.range(of: text) != nil)
        while let range = bytes.range(of: text) { bytes[range.lowerBound + 1] ^= 0x20 }
        try FileHandle(forWritingTo: segment).write(contentsOf: bytes)
    }

    var isSound: Bool {
        get throws {
            try sqlite(file, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0
        }
    }
}

/// Opens a store without having its lock, and closes it.
/// - Returns: the lines of the log.
func warnings(opening path: String) -> [String] {
    let lines = Mutex<[String]>([])
    let store = RecordStore.open(
        path: path, maxBytes: 1 << 20, classNames: [], owner: PlainOwner(), isTemporary: false, lock: nil,
        unixSeconds: { noon }, log: { line in lines.withLock { $0.append(line) } })
    store.close()
    return lines.withLock { $0 }
}

extension RecordStore {
    var purges: Purges { (shared.owner as? PlainOwner)?.purges ?? Purges() }

    func store(_ record: Record) { store(record, record.key.index) }
    func remove(_ target: String) { remove(key(target).index) }
    func touch(_ target: String, at unixSeconds: Int64) { touch(key(target).index, at: unixSeconds) }

    /// Stores these, and waits until they are in the file.
    func write(_ records: Record...) { write(records) }

    /// - Parameter atOnce: after so many of them it waits.
    func write(_ records: [Record], atOnce: Int = .max) {
        for (number, record) in records.enumerated() {
            store(record)
            if number % atOnce == atOnce - 1 { flush() }
        }
        flush()
    }

    /// Notes a purge, and writes it down.
    @discardableResult
    func note(_ mode: PurgeMode, _ selection: EntrySelection) -> Int64 {
        let number = purges.note(selection, mode)
        add(StoreMark(purge: number, mode == .hard ? .hard : .soft, words: selection.words))
        return number
    }

    /// Purges, and counts the chosen; nil where the store cannot. One at a time.
    func purged(_ mode: PurgeMode, _ conditions: [EntrySelection.Condition] = [], at now: Int64 = noon) async -> Int? {
        let (purges, selection) = (purges, EntrySelection(conditions))
        let number = mode == .dryRun ? purges.newest : note(mode, selection)
        return await withCheckedContinuation { continuation in
            let sweep = Sweep(purges, waiting: [Sweep.Waiting(id: 1, number: number, selection, mode)])
            self.sweep(sweep, at: now) { sweep, end in
                if end == .done { purges.noteSwept(by: sweep) }
                continuation.resume(returning: end == .refused ? nil : sweep.waiting[0].totals[0].count)
            }
        }
    }

    func list(
        _ selection: EntrySelection = EntrySelection(), limit: Int, in order: ListingOrder = .use
    ) -> [ListedRecord] {
        runner.list(selection, limit: limit, in: order)
    }

    /// A reader says that the file is damaged, or with another code that it cannot be read.
    func report(_ words: String, code: Int32 = 11) {
        runner.report(SQLiteError(code: code, message: words), generation: shared.generation.load(ordering: .acquiring))
    }
}

/// Sweeps that nobody waits for, one at a time.
final class Sweeps: Sendable {
    private let isUnderWay = Atomic(false)

    /// Begins what is owed, unless one is under way, which begins the next.
    @Sendable func sweep(_ store: RecordStore) {
        guard !isUnderWay.exchange(true, ordering: .relaxed) else { return }
        store.sweep(Sweep(store.purges, waiting: []), at: noon) { @Sendable [self, weak store] sweep, end in
            if end == .done { store?.purges.noteSwept(by: sweep) }
            isUnderWay.store(false, ordering: .relaxed)
            if end == .done, let store, store.purges.isSweeping { self.sweep(store) }
        }
    }
}

extension RecordReader {
    func find(_ key: RecordKey, at now: Int64 = noon) -> Record? { find(key, key.index, at: now) }
    func find(_ target: String, at now: Int64 = noon) -> Record? { find(key(target), at: now) }
}

extension StoreHealth {
    var isFailing: Bool { if case .failing = self { true } else { false } }
    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

extension StoreRunner {
    /// Holds the queue until `queue.resume()`; a turn that has begun ends before.
    func suspendBetweenTurns() { queue.sync { queue.suspend() } }
}

func sqlite(_ path: String, _ sql: String) throws -> Int64 {
    try Database(path: path, mode: .readWrite, busyTimeout: .seconds(5)).integer(sql)
}

/// A column of the rows that a query of it finds.
func texts(_ path: String, _ sql: String, _ values: [SQLValue] = [], column: Int32 = 0) throws -> [String] {
    var found: [String] = []
    try Statement(Database(path: path, mode: .readOnly, busyTimeout: .seconds(5)), sql).forEachRow(values) { row in
        found.append(row.text(column))
        return true
    }
    return found
}
