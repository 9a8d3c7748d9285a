import CSQLite
import Glibc

// The database file itself: made with mode 0600, opened, judged, and set aside when it is of no
// use.
// Must hold: a file that might belong to someone is never deleted; a cache file that is in the way
// is renamed, and only if it is a regular file; a file of another program is left alone
// (`FileSigns`), and one that another user may have laid there (`StoreNames`); no link of its name
// is followed; it is never opened but by SQLite, because closing another descriptor would let go of
// the locks that SQLite holds on it.

/// Why the store cannot work now.
struct FileUnavailable: Error {
    let reason: String
    var fault = FileFault.other
}

struct DatabaseFile {
    let path: String
    /// `cache_size`.
    let maxBytes: Int
    /// The file is not opened again: it need not outlive a crash, and the store does not wait for
    /// the disk.
    let isTemporary: Bool
    /// For one clear line about a file that was set aside.
    let log: @Sendable (String) -> Void

    /// The bounds on a disk that has room for all of it.
    var fullBounds: SpaceBounds { SpaceBounds(maxBytes: maxBytes) }

    /// The bounds for now: `cache_size`, or less where the disk has no room for that, so that a
    /// cache on a full disk goes on within its present size.
    /// - Parameter segments: what they take, in bytes.
    func bounds(with segments: Int) -> SpaceBounds {
        // With room for all of it, the present size does not matter, and no file is looked at.
        guard let free = DiskSpace(of: path)?.freeBytes, free < maxBytes else { return fullBounds }
        let used = ["", "-wal", "-shm"].reduce(segments) { $0 + Self.size(path + $1) }
        return SpaceBounds(maxBytes: min(maxBytes, used + free))
    }

    /// Settings that take effect only before the first table. With pages of 2 KiB a file of answers
    /// of 1 to 8 KiB has 1.13 times their size, with 4 KiB 1.20, and less is written for each entry
    /// of an index; look-ups cost the same.
    private static let ofNewFiles = "PRAGMA page_size = \(Schema.pageBytes); PRAGMA auto_vacuum = INCREMENTAL"

    /// An open, current database: the file that is there, or a fresh one.
    /// - Parameter origin: the home of one that has none yet.
    func open(of origin: Origin = .none, oldOf first: Origin? = nil) throws(FileUnavailable) -> Database {
        try judgedTwice { () throws(FileUnavailable) in try attempt(try prepare(), origin, first ?? origin) }
    }

    struct Damage: Error {
        let reason: String
        /// Nothing shows that it is a cache file.
        var isForeign = false
    }

    /// Makes something of the file that is there, or of a fresh one. A file that was read wrongly
    /// once is read again, so it takes two failures to set a file aside.
    func judgedTwice<R>(
        _ attempt: () throws(FileUnavailable) -> Result<R, Damage>
    ) throws(FileUnavailable) -> R {
        for isSecond in [false, true, false, true] {
            switch try attempt() {
            case .success(let result): return result
            case .failure(let damage) where damage.isForeign: throw FileUnavailable(reason: damage.reason)
            case .failure(let damage): if isSecond { try setAside(because: damage.reason) }
            }
        }
        throw FileUnavailable(reason: "\(path): a new file was unusable too")
    }

    /// Opens and judges: a failure means that the file is to be set aside, an error that nothing
    /// can be done now.
    private func attempt(
        _ signs: FileSigns.Verdict, _ origin: Origin, _ first: Origin
    ) throws(FileUnavailable) -> Result<Database, Damage> {
        do throws(SQLiteError) {
            let database = try Database(path: path, mode: .readWrite, busyTimeout: .milliseconds(500))
            // Before the first page: a file in WAL mode tells nothing about the journals it needs.
            if database.isReadOnly { throw SQLiteError(code: SQLITE_READONLY, message: "the file is read-only") }
            try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            let verdict = try Schema.examine(database)
            if case .unusable(let reason) = verdict { return .failure(Damage(reason: reason)) }
            if verdict == .unmarked {
                guard signs == .ours else {
                    return .failure(Damage(reason: "\(path) \(FileSigns.otherDatabase)", isForeign: true))
                }
                return .failure(Damage(reason: "it has no application ID of a cache file"))
            }
            hideFromOthers()
            if verdict == .empty {
                // Never beside a file of others: it is a sign (`FileSigns`). The log of segments
                // says why there can be none.
                _ = mkdir(Segments.folder(of: path), 0o700)
                try database.execute(Self.ofNewFiles)
            }
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = " + (isTemporary ? "OFF" : "NORMAL"))
            // Debian's SQLite overwrites deleted content, which writes twice as much; nothing here
            // is anyone's secret.
            try database.execute("PRAGMA cache_size = -8192; PRAGMA secure_delete = OFF")
            if verdict == .empty { try Schema.create(database, of: origin) }
            if verdict == .previous { try Schema.upgrade(database, of: first) }
            return .success(database)
        } catch {
            // A plain error can only come from a schema that names missing tables or columns.
            if error.isDamage || error.primaryCode == SQLITE_ERROR { return .failure(Damage(reason: "\(error)")) }
            throw FileUnavailable(reason: "\(path): \(error)", fault: error.fault)
        }
    }

    /// Looks at all pages through a connection of its own. Takes as long as reading the file,
    /// `limit` at most.
    func examine(within limit: Duration) -> FileVerdict {
        do throws(SQLiteError) {
            let database = try Database(path: path, mode: .readOnly, busyTimeout: .zero)
            return try database.interrupting(after: limit) { () throws(SQLiteError) in
                guard try Schema.examine(database) == .current else { return .damaged }
                var isSound = false
                try Statement(database, "PRAGMA quick_check(1)").forEachRow([]) { row in
                    isSound = row.text(0) == "ok"
                    return false
                }
                return isSound ? .sound : .damaged
            }
        } catch {
            if error.primaryCode == SQLITE_INTERRUPT { return .unfinished }
            return error.isDamage || error.primaryCode == SQLITE_ERROR ? .damaged : .unreadable("\(error)")
        }
    }

    /// The size of the file at `path`, in bytes; 0 where there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Why the file of this name cannot be a cache file; nil where it can, or there is none.
    static func oddity(of path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        return status.st_mode & S_IFMT == S_IFLNK
            ? "\(path) is a symbolic link; name its target" : "\(path) is not a regular file"
    }

    /// Makes the file if need be. SQLite gives its journals the mode of the file.
    private func prepare() throws(FileUnavailable) -> FileSigns.Verdict {
        if let reason = Self.oddity(of: path) ?? Segments.oddity(besides: path)
            ?? StoreNames.objection(to: path)?.description
        {
            throw FileUnavailable(reason: reason)
        }
        let signs = FileSigns(of: path)
        let verdict = signs.verdict
        if case .foreign(let what) = verdict { throw FileUnavailable(reason: "\(path) \(what)") }
        var status = stat()
        if lstat(path, &status) == 0 {
            if verdict == .ours || signs.byteCount == 0 { hideFromOthers() }
            return verdict
        }
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileUnavailable(reason: "\(path): \(String(cString: strerror(errno)))") }
        _ = fchmod(descriptor, 0o600)
        _ = Glibc.close(descriptor)
        return verdict
    }

    /// Best effort: a file of another owner that we may write stays as it is. A file that became a
    /// link meanwhile is refused.
    private func hideFromOthers() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        _ = fchmodat(AT_FDCWD, path, 0o600, AT_SYMLINK_NOFOLLOW)
    }

    /// Renames the file to `PATH.corrupt-UNIXTIME`, and with it the journals and the shared memory
    /// of its own: a journal that stayed would be rolled back into the fresh file, or deleted with
    /// the rows that it alone had. Connections that are still open keep the old file; SQLite sees
    /// that it has moved and leaves the names alone when they close. The new name.
    /// - Throws: where nothing shows that it is a cache file.
    @discardableResult
    func setAside(because reason: String) throws(FileUnavailable) -> String {
        switch FileSigns(of: path).verdict {
        case .foreign(let what): throw FileUnavailable(reason: "\(path) \(what)")
        case .unread: throw FileUnavailable(reason: "\(path): \(reason), and it cannot be identified as a cache file")
        case .vacant, .ours: break
        }
        var name = "\(path).corrupt-\(time(nil))"
        var attempt = 1
        while access(name, F_OK) == 0 {
            name = "\(path).corrupt-\(time(nil))-\(attempt)"
            attempt += 1
        }
        guard rename(path, name) == 0 || errno == ENOENT else {
            throw FileUnavailable(
                reason: "\(path) is unusable (\(reason)) and cannot be renamed: \(String(cString: strerror(errno)))")
        }
        for suffix in ["-journal", "-wal", "-shm", ".segments"] { _ = rename(path + suffix, name + suffix) }
        log("cache file \(path) is unusable (\(reason)): renamed to \(name), starting with an empty one")
        return name
    }

    /// Deletes a file that was set aside, and its journals.
    func remove(setAside name: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(name + suffix) }
        Segments.remove(folder: Segments.folder(of: name))
    }
}

extension FileSigns {
    /// Looks at the file, and changes nothing.
    init(of path: String) {
        byteCount = DatabaseFile.size(path)
        logBytes = DatabaseFile.size(path + "-wal")
        hasSegments = access(Segments.folder(of: path), F_OK) == 0
        beginning = (try? Database(path: path, mode: .readOnly, busyTimeout: .zero))?
            .beginning(DatabaseHeader.byteCount).map { Array($0.prefix(byteCount)) }
    }
}
