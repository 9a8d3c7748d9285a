import CSQLite
import EventLoop
import Glibc
import Synchronization

// The segments of a store: files in a folder beside the database, numbered in the order of their
// making. Everyone reads them; the writer alone makes and removes them.
// Must hold: a number is never given to another file while a row may name it; files that are no
// segments are left alone.

final class Segments: Sendable {
    let folder: String
    /// The open segments, by number.
    private let files = Mutex<[Int: SegmentFile]>([:])

    /// For the database of that path.
    init(besides database: String) { folder = Self.folder(of: database) }

    static func folder(of database: String) -> String { database + ".segments" }

    /// Why there can be no segments beside that database; nil where there can.
    static func oddity(besides database: String) -> String? {
        let folder = folder(of: database)
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        return "\(folder) is not a directory"
    }

    func path(_ number: Int) -> String { folder + "/" + Self.name(number) }

    /// Six digits or more, so that names sort as numbers do.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(6 - digits.count, 0)) + digits
    }

    /// The number of a file of that name; nil where it is no segment.
    static func number(_ name: String) -> Int? {
        guard name.count >= 6, name.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(name),
            (1...Place.lastSegment).contains(number), Self.name(number) == name
        else { return nil }
        return number
    }

    /// Bytes by number, of all that there are in a folder; none where there is no folder.
    /// - Throws: where not all of it could be looked at: an unseen segment must not count as gone.
    static func listed(in folder: String) throws(SQLiteError) -> [Int: Int] {
        let names: [String]
        do throws(SystemError) { names = try Folder.names(in: folder) } catch {
            if error.errno == ENOENT { return [:] }
            throw SegmentFile.error(error.errno, "\(folder) cannot be listed")
        }
        var found: [Int: Int] = [:]
        for name in names {
            guard let number = number(name) else { continue }
            var status = stat()
            guard stat(folder + "/" + name, &status) == 0 else {
                throw SegmentFile.error(errno, "\(folder)/\(name) cannot be examined")
            }
            found[number] = Int(status.st_size)
        }
        return found
    }

    /// Removes the segments in a folder, and the folder where nothing else is in it.
    static func remove(folder: String) {
        for number in ((try? listed(in: folder)) ?? [:]).keys { unlink(folder + "/" + name(number)) }
        rmdir(folder)
    }

    /// Opens one that is there for writing, or makes the next one.
    func openForWriting(_ number: Int, isNew: Bool) throws(SQLiteError) -> SegmentFile {
        let file = try SegmentFile(path(number), isNew: isNew, writing: true)
        files.withLock { $0[number] = file }
        return file
    }

    /// Removes one. Reads that are under way go on.
    func remove(_ number: Int) {
        unlink(path(number))
        _ = files.withLock { $0.removeValue(forKey: number) }
    }

    /// Waits until all of one is on the disk.
    func synchronize(_ number: Int) throws(SQLiteError) {
        guard let file = try reading(number, { $0 }) else {
            throw SQLiteError(code: SQLITE_IOERR, message: "segment \(number) is missing", segment: number)
        }
        try file.synchronize()
    }

    /// Lets go of all of them: the names have come to mean others.
    func closeAll() {
        // They are closed outside the lock.
        let closed = files.withLock { files in
            defer { files = [:] }
            return files
        }
        withExtendedLifetime(closed) {}
    }

    /// Calls `body` with the bytes at a place; nil where there are none, or fewer.
    func read<R>(_ place: Place, _ body: (UnsafeRawBufferPointer) -> R) throws(SQLiteError) -> R? {
        try reading(place.segment) { (file) throws(SQLiteError) in
            guard file.mayHold(place) else { return nil }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: place.span, alignment: 16)
            defer { buffer.deallocate() }
            guard try file.read(buffer, at: place.offset) == buffer.count else { return nil }
            return body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Calls `body` with a segment; nil where there is none. An error names the segment, unless it
    /// only says that the process has no descriptor or memory left.
    func reading<R>(
        _ number: Int, _ body: (SegmentFile) throws(SQLiteError) -> R?
    ) throws(SQLiteError) -> R? {
        do throws(SQLiteError) { return try file(number).flatMap(body) } catch {
            guard error.primaryCode == SQLITE_IOERR else { throw error }
            throw SQLiteError(code: error.code, message: error.message, segment: number)
        }
    }

    /// The segment, opened by the first that reads it; nil where there is none.
    private func file(_ number: Int) throws(SQLiteError) -> SegmentFile? {
        if let file = files.withLock({ $0[number] }) { return file }
        if access(path(number), F_OK) != 0, errno == ENOENT { return nil }
        let opened = try SegmentFile(path(number), writing: false)
        return files.withLock { files in
            if let file = files[number] { return file }
            // Removed meanwhile, it would stay open for good.
            if opened.hasName { files[number] = opened }
            return opened
        }
    }
}
