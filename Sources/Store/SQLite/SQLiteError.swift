import CSQLite

// SQLite's result codes as values. A struct, so that codes this file does not name survive.

/// The error of a call to SQLite.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// SQLite's own words; they name objects and files, never content.
    let message: String
    /// The segment that could not be read, where it was one.
    var segment: Int?

    /// SQLITE_IOERR_CORRUPTFS: the system failed to read the file.
    static let failedRead = SQLITE_IOERR | 33 << 8

    /// The code without its extension: 5 for SQLITE_BUSY_RECOVERY.
    var primaryCode: Int32 { code & 0xFF }

    /// Another process holds a lock: nothing is wrong, and later it goes.
    var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// The kind of the fault, which decides the reaction.
    var fault: FileFault {
        if let segment { return .segment(segment) }
        if isBusy { return .busy }
        if primaryCode == SQLITE_FULL { return .room }
        if isDamage { return .damage }
        return code == Self.failedRead || code == Self.failedCall ? .unreadable : .other
    }

    /// SQLITE_IOERR_READ: a read that failed, in SQLite's own words.
    private static let failedCall = SQLITE_IOERR | 1 << 8

    /// The file is damaged. A plain error counts when it comes from preparing our own statements:
    /// then the tables are not ours (`Schema`).
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primaryCode) }

    var description: String { "\(message) (SQLite code \(code))" }
}

/// Why something about the file failed.
enum FileFault: Equatable {
    /// The disk, or a bound, is full.
    case room
    /// Another process or a reader is in the way.
    case busy
    /// The file's content is damaged.
    case damage
    /// A page of the database cannot be read.
    case unreadable
    /// A segment cannot be read.
    case segment(Int)
    case other
}
