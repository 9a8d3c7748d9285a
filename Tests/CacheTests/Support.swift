import Foundation
import HTTP
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

/// A fixed moment, so that no test depends on the clock.
let noon: Int64 = 1_800_000_000

func key(_ target: String, _ variant: String = "", _ scope: CacheKey.Scope = .shared) -> CacheKey {
    CacheKey(of: .none, scope: scope, target: Array(target.utf8), variant: Array(variant.utf8))
}

/// A text of that many bytes; `String(repeating:count:)` is much slower.
func filler(_ count: Int) -> String {
    String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: count), as: UTF8.self)
}

func response(
    _ target: String, _ body: String = "{}", variant: String = "", at receivedAt: Int64 = noon,
    lifetime: Lifetime = Lifetime(freshFor: 1_000_000), scope: CacheKey.Scope = .shared, storefront: String = "us",
    classTag: UInt8 = 1, born: Int64 = 0, selecting: String = "", resources: [UInt64] = []
) -> StoredResponse {
    StoredResponse(
        key: key(target, variant, scope), status: 200, fields: Array("Content-Type: application/json\r\n".utf8),
        body: Array(body.utf8), receivedAt: receivedAt, born: born, lifetime: lifetime, classTag: classTag,
        storefront: Array(storefront.utf8), selecting: Array(selecting.utf8), resources: resources)
}

func date(_ seconds: Int64) -> String { HTTPDate.text(seconds) }

func stored(
    _ fields: [String], status: Int = 200, body: String = "0123456789", followsOrigin: Bool = true,
    lifetime: Lifetime = Lifetime(freshFor: 100), resources: [UInt64] = []
) -> StoredResponse {
    StoredResponse(
        key: key("/a"), status: status, fields: Array(fields.map { $0 + "\r\n" }.joined().utf8),
        followsOrigin: followsOrigin,
        body: Array(body.utf8), receivedAt: noon, lifetime: lifetime, classTag: 0, storefront: [], resources: resources)
}

extension ParsedRequest {
    func form(of stored: StoredResponse) -> AnswerForm {
        AnswerForm.of(stored, for: head.method, head.fields, bytes.span)
    }
}

final class FakeOutline: Outline {
    let bytes: Atomic<Int>
    var byteCount: Int { bytes.load(ordering: .relaxed) }
    init(byteCount: Int) { bytes = Atomic(byteCount) }
}

/// An answer composed from these, as composing makes one.
func composed(
    _ target: String, from parts: [StoredResponse], _ body: String = "composed",
    lifetime: Lifetime = Lifetime(freshFor: 1_000)
) -> StoredResponse {
    StoredResponse(
        key: key(target), status: 200, fields: [], body: Array(body.utf8), receivedAt: noon,
        born: parts.map(\.born).min() ?? 0, lifetime: lifetime, classTag: 1, storefront: Array("us".utf8),
        composition: Composition(.composed, parts: parts.map(\.key), naming: parts.map(\.resources)))
}

extension ResponseCache {
    /// Stores these, and waits until they are in the file.
    func write(_ responses: StoredResponse...) { write(responses) }

    func write(_ responses: [StoredResponse]) {
        for response in responses { store(response) }
        flush()
    }

    /// Stores an answer that was composed this very moment.
    @discardableResult
    func store(composed response: StoredResponse, from parts: [StoredResponse]) -> Bool {
        store(composed: response, from: parts, whileContradictionsAre: contradictions)
    }
}

func someone(_ number: UInt64) -> CacheKey.Scope {
    .personal(UserHash(bits: UInt128(number) << 64 | UInt128(~number)))
}

/// Everything a client could see of a response.
func content(_ response: StoredResponse?) -> [UInt8]? { response.map { $0.head + $0.body } }

extension EntrySelection.Condition {
    static func target(_ text: String) -> Self { .target(Array(text.utf8)) }
    static func prefix(_ text: String) -> Self { .prefix(Array(text.utf8)) }
    static func storefront(_ text: String) -> Self { .storefront(Array(text.utf8)) }
}

/// A directory that goes away with the test.
final class Scratch: Sendable {
    private let folder = try? TemporaryFolder()
    private let lines = Lines()
    var directory: String { folder?.path ?? "/nonexistent" }

    var file: String { directory + "/cache.sqlite" }
    var names: [String] { (try? folder?.names) ?? [] }
    var everything: Data { get throws { try folder?.everything ?? Data() } }
    var said: [String] { lines.all }
    /// The files that were set aside, without their journals and segments.
    var setAside: [String] {
        names.filter { name in
            name.contains(".corrupt-") && !["-journal", "-wal", "-shm", ".segments"].contains { name.hasSuffix($0) }
        }
    }
}

final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func log(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A wall clock that tests set; it begins at noon.
final class TestClock: Sendable {
    private let seconds = Atomic<Int64>(noon)
    var now: Int64 {
        get { seconds.load(ordering: .relaxed) }
        set { seconds.store(newValue, ordering: .relaxed) }
    }
}

extension Scratch {
    /// - Parameter now: the wall clock, after all times that tests write.
    func open(
        maxBytes: Int = 64 << 20, _ lines: Lines? = nil, file: String? = nil, of origin: Origin = .none,
        now: @escaping @Sendable () -> Int64 = { 4_000_000_000 }
    ) -> FileTier {
        let (file, lines) = (file ?? self.file, lines ?? self.lines)
        // A program that another test starts has a copy of a lock's descriptor for a moment.
        let lock = try? StoreLock.take(file, within: .milliseconds(500)) { _ in }
        return FileTier.open(
            path: file, maxBytes: maxBytes, classNames: ["albums", "songs"], origin: origin, lock: lock,
            unixSeconds: now,
            log: { lines.log($0) })
    }

    func openWithReader(maxBytes: Int = 64 << 20, file: String? = nil) -> (store: FileTier, reader: FileReader) {
        let store = open(maxBytes: maxBytes, file: file)
        return (store, store.makeReader())
    }
}

extension Scratch {
    /// Writes these into the file, and closes it.
    func fill(_ responses: [StoredResponse]) {
        let store = open()
        store.write(responses)
        store.close()
    }

    /// A cache over a file, and the file's store.
    func cache(
        memory: Int = 1 << 20, now: @escaping @Sendable () -> Int64 = { 4_000_000_000 }
    ) -> (cache: ResponseCache, store: FileTier) {
        let store = open(now: now)
        return (ResponseCache(memory: MemoryTier(maxBytes: memory), file: store), store)
    }

    func cacheWithReader(memory: Int = 1 << 20) -> (cache: ResponseCache, store: FileTier, reader: FileReader) {
        let (cache, store) = self.cache(memory: memory)
        return (cache, store, store.makeReader())
    }

    /// Makes the file, which is closed, one of version 10 with the same rows.
    func makeOldFile() throws -> Database {
        let database = try Database(path: file, mode: .readWrite, busyTimeout: .seconds(5))
        try database.execute(
            "ALTER TABLE entry RENAME TO later; DROP VIEW purged; DROP TABLE purge; DROP VIEW response")
        try database.execute("DROP VIEW location; DROP TRIGGER entry_removed; DROP INDEX entry_by_key")
        try database.execute("DROP INDEX entry_by_last_used; DROP INDEX variant_by_target")
        for name in ["totals", "class", "rest", "fact", "origin", "floor"] {
            try database.execute("DROP TABLE \(name)")
        }
        for statement in Schema.oldStatements { try database.execute(statement) }
        let columns = try texts(file, "SELECT name FROM pragma_table_info('entry')").joined(separator: ", ")
        try database.execute("INSERT INTO entry (\(columns)) SELECT \(columns) FROM later; DROP TABLE later")
        try database.execute(
            "INSERT INTO totals SELECT 1, count(*), coalesce(sum(size), 0) FROM entry; PRAGMA user_version = 10")
        return database
    }

    /// Overwrites everything after the first page with rubbish, under the open connections.
    func damage() throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 4_096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: size - 4_096))
        try handle.close()
    }
}

extension FileTier {
    /// Stores these, and waits until they are in the file.
    func write(_ responses: StoredResponse...) { write(responses) }

    func write(_ responses: [StoredResponse]) {
        for response in responses { store(response) }
        flush()
    }

    /// Counts the chosen in the file, as a dry run does.
    func count(_ selection: EntrySelection) async -> Int? {
        let sweep = Sweep(purges, waiting: [Sweep.Waiting(id: 1, number: purges.newest, selection, .dryRun)])
        return await withCheckedContinuation { continuation in
            records.sweep(sweep, at: noon) { sweep, end in
                continuation.resume(returning: end == .done ? sweep.waiting[0].totals[0].count : nil)
            }
        }
    }
}

extension StoreHealth {
    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

extension Freshening {
    var stored: Answer? { if case .stored(let response) = self { response } else { nil } }
    var unstorable: (response: Answer, reason: Reason)? {
        if case .unstorable(let response, let reason) = self { (response, reason) } else { nil }
    }
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

extension FileTier {
    var shared: SharedState { records.shared }
    var runner: StoreRunner { records.runner }
    var status: StoreStatus { records.status }
    var health: StoreHealth { records.health }
    var entries: Int { records.entries }
    var byteCount: Int { records.byteCount }
    func flush() { records.flush() }
    func close() { records.close() }

    func list(_ selection: EntrySelection = EntrySelection(), limit: Int) -> [ListedRecord] {
        runner.list(selection, limit: limit, in: .use)
    }
}

extension ListedRecord {
    var path: String { String(decoding: target, as: UTF8.self) }
}
