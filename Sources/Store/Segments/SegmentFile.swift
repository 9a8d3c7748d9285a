import CSQLite
import Glibc

/// An open segment: a file to whose end records are appended, and of which any may be read.
///
/// Bytes are only appended. The descriptor is closed once no reader uses it, even if the file was
/// removed earlier.
final class SegmentFile: Sendable {
    private let descriptor: CInt

    /// Opens a file of that name. Links are not followed.
    /// - Parameter isNew: makes it, with mode 0600, and fails where there is one.
    init(_ path: String, isNew: Bool = false, writing: Bool) throws(SQLiteError) {
        let access = writing ? O_RDWR : O_RDONLY
        descriptor = Glibc.open(path, access | O_CLOEXEC | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0), 0o600)
        guard descriptor >= 0 else { throw Self.error(errno, "\(path) cannot be opened") }
    }

    deinit { close(descriptor) }

    /// Whether the file is long enough for a record there. The span in a damaged row must not
    /// decide how much memory is allocated.
    func mayHold(_ place: Place) -> Bool {
        if place.span <= Self.smallSpan { return true }
        var status = stat()
        return fstat(descriptor, &status) == 0 && place.offset + place.span <= Int(status.st_size)
    }

    /// Reading so much costs less than asking how long the file is.
    private static let smallSpan = 1 << 20

    /// Whether the file still has a name.
    var hasName: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    /// Fills `buffer` from `offset` on, and returns how many bytes there were.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SQLiteError) -> Int {
        var count = 0
        while count < buffer.count {
            let result = pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(offset + count))
            if result == 0 { break }
            if result < 0 {
                if errno == EINTR { continue }
                throw SQLiteError(
                    code: SQLiteError.failedRead, message: "a segment cannot be read: \(Self.words(errno))")
            }
            count += result
        }
        return count
    }

    /// Writes all of `bytes` from `offset` on. Where that fails the file ends there, as before.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SQLiteError) {
        var count = 0
        while count < bytes.count {
            let result = pwrite(descriptor, bytes.baseAddress! + count, bytes.count - count, off_t(offset + count))
            if result < 0, errno == EINTR { continue }
            guard result > 0 else {
                let number = errno
                _ = ftruncate(descriptor, off_t(offset))
                throw Self.error(number, "a segment cannot be written")
            }
            count += result
        }
    }

    /// Waits until all of it is on the disk.
    func synchronize() throws(SQLiteError) {
        guard fdatasync(descriptor) != 0 else { return }
        throw Self.error(errno, "a segment cannot be synced to disk")
    }

    private static func words(_ number: CInt) -> String { String(cString: strerror(number)) }

    /// Error of SQLite for a system error: a full disk is `SQLITE_FULL`, and a process without
    /// descriptors or memory cannot open any file.
    static func error(_ number: CInt, _ what: String) -> SQLiteError {
        let code =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: SQLITE_FULL
            case EMFILE, ENFILE, ENOMEM: SQLITE_CANTOPEN
            default: SQLITE_IOERR
            }
        return SQLiteError(code: code, message: "\(what): \(words(number))")
    }
}
