import CSQLite

// SQLite's result codes as values. A struct, so that codes this file does not name survive.

/// What a call to SQLite failed with.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// SQLite's own words; they name objects and files, never content.
    let message: String

    /// SQLITE_IOERR_CORRUPTFS: the system failed to read the file.
    static let failedRead = SQLITE_IOERR | 33 << 8

    /// The code without its extension: 5 for SQLITE_BUSY_RECOVERY.
    var primaryCode: Int32 { code & 0xFF }

    /// Another process holds a lock: nothing is wrong, and later it goes.
    var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// Whether the connection is as good as before: nothing but room or time is missing.
    var sparesConnection: Bool { isBusy || primaryCode == SQLITE_FULL }

    /// The file is not what it should be. A plain error counts when it comes from preparing our own
    /// statements: then the tables are not ours (`Schema`).
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primaryCode) }

    var description: String { "\(message) (SQLite code \(code))" }
}
