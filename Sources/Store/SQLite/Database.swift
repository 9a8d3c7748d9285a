import CSQLite
import Glibc
import Text

// One connection to an SQLite file. Owns the sqlite3 pointer; the only file but Statement.swift
// that sees one, as GatheredLog.swift alone sees the open log. Must hold: a connection is used by
// one thread at a time (a loop, or the writer under its lock); it is opened without SQLite's own
// mutexes.

final class Database {
    enum Mode {
        case readOnly
        case readWrite
    }

    let path: String
    /// For `Statement` alone.
    let handle: OpaquePointer
    /// Pages in the write-ahead log as of the latest commit, where `countLogPages` was called.
    private(set) var logPages = 0

    /// No row is larger; a damaged file cannot ask for more, in bytes.
    private static let longestValue: Int32 = 64 << 20

    /// A failure is ignored: everything works without it, slower.
    private static let isConfigured = csqlite_configure() == SQLITE_OK

    /// Opens an existing file. Nothing is read before the first statement.
    init(path: String, mode: Mode, busyTimeout: Duration) throws(SQLiteError) {
        _ = Self.isConfigured
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(Self.withoutLinkedDirectories(path), &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message)
        }
        self.path = path
        handle = opened
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
        // The log is copied by `checkpoint` alone, before which records are brought to the disk.
        csqlite_leave_log_on_close(handle)
        sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout / .milliseconds(1)))
    }

    /// A connection for code that reads only: neither the writer nor another process is waited for.
    convenience init(reading path: String) throws(SQLiteError) {
        try self.init(path: path, mode: .readOnly, busyTimeout: .zero)
        try execute("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -1024")
    }

    deinit {
        // v2 waits for statements that are still to be finalised.
        sqlite3_close_v2(handle)
    }

    /// Path of the file without linked directories: where no link is to be followed, SQLite refuses
    /// those too, and a service's state directory often is one.
    private static func withoutLinkedDirectories(_ path: String) -> String {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { String(path[...$0]) } ?? "."
        guard let resolved = realpath(directory, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved) + "/" + path[(slash.map { path.index(after: $0) } ?? path.startIndex)...]
    }

    /// Whether SQLite fell back to reading because the file may not be written.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs statements that return nothing of interest.
    func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Runs `body` in a transaction that takes the write lock at once; on an error nothing of it
    /// stays.
    func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already; then this one is refused, and nothing is lost
            // by it.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The open write-ahead log; nil where SQLite has none open.
    var logFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        return file?.pointee.pMethods == nil ? nil : file
    }

    /// The first bytes of the file itself, whatever the log has; nil where they cannot be read.
    func beginning(_ count: Int) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let methods = file.pointee.pMethods else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let code = methods.pointee.xRead(file, &bytes, Int32(count), 0)
        return code == SQLITE_OK || code == Self.shortRead ? bytes : nil
    }

    /// SQLITE_IOERR_SHORT_READ: the file ends before, and zeros take the place of the rest.
    private static let shortRead = SQLITE_IOERR | 2 << 8

    /// Has `body` called with `context` whenever a transaction has been rolled back.
    func onRollback(
        _ context: UnsafeMutableRawPointer, _ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        sqlite3_rollback_hook(handle, body, context)
    }

    /// Counts the log's pages from now on; SQLite no longer copies them by itself.
    func countLogPages() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the log into the database, as far as readers allow. Whether that was all of it: then
    /// it is on the disk.
    func checkpoint() throws(SQLiteError) -> Bool {
        var (pages, copied) = (Int32(0), Int32(0))
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
        guard code != SQLITE_BUSY else { return false }
        try check(code)
        return pages == copied
    }

    /// Waits until the log is on the disk, and with it all that was committed.
    func synchronizeLog() throws(SQLiteError) {
        guard let file = logFile, let methods = file.pointee.pMethods else { return }
        let code = methods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, message: "the write-ahead log cannot be synced to disk")
    }

    /// Turns a result code that is no success into an error.
    func check(_ code: Int32) throws(SQLiteError) {
        guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
        let error = SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)))
        // SQLite says that a file is malformed where the system could not read it: its content is
        // not known then.
        guard error.isDamage || error.primaryCode == SQLITE_ERROR, csqlite_failed_read(handle) != 0 else {
            throw error
        }
        throw SQLiteError(code: SQLiteError.failedRead, message: "a read failed: \(error.message)")
    }

    /// Runs `body`, in which statements that are still at it after `limit` fail as interrupted.
    func interrupting<R>(after limit: Duration, _ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        try withUnsafePointer(to: ContinuousClock.now + limit) { (deadline) throws(SQLiteError) in
            sqlite3_progress_handler(
                handle, 100_000,
                { context in
                    guard let context else { return 0 }
                    return .now > context.load(as: ContinuousClock.Instant.self) ? 1 : 0
                }, UnsafeMutableRawPointer(mutating: deadline))
            defer { sqlite3_progress_handler(handle, 0, nil, nil) }
            return try body()
        }
    }
}
