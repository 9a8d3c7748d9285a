import EventLoop
import Glibc

/// Foretells the message of a start about a cache file, and changes nothing.
public enum StoreForecast {
    /// Why the answers at `path` would not be used; nil where they would, or a file could be made.
    public static func trouble(_ path: String) -> String? {
        if let reason = DatabaseFile.oddity(of: path) ?? Segments.oddity(besides: path) ?? unwritable(path) {
            return reason + "; the proxy will keep answers in memory only"
        }
        let header = beginning(of: path).map { DatabaseHeader($0) }
        if case .some(nil) = header, DatabaseFile.size(path) > 0 {
            return "\(path) is no SQLite database; the proxy will rename it and begin with an empty one"
        }
        if let version = header??.version, version != 0, !Schema.readable.contains(Int64(version)) {
            return
                "\(path) is of version \(version), not \(Schema.version); the proxy will rename it and begin with an empty one"
        }
        return full(FilePath.folder(of: path))
    }

    /// Why nothing may be written to a file at `path`: nothing shows that it is a cache file, and
    /// it would be renamed. Nil where it may, or there is none.
    public static func objection(_ path: String) -> String? {
        // Where there are segments the process may have it open, and its header is left alone.
        guard DatabaseFile.oddity(of: path) == nil, access(Segments.folder(of: path), F_OK) != 0 else { return nil }
        let size = DatabaseFile.size(path)
        guard size > 0, let bytes = beginning(of: path) else { return nil }
        if let header = DatabaseHeader(bytes) {
            if header.applicationID == Schema.applicationID { return nil }
            // A start was cut off before there were tables; those of others may be in their log.
            if size <= header.emptyBytes, header.isLikeOurs || DatabaseFile.size(path + "-wal") == 0 { return nil }
        }
        return "is there and is no cache file of this program's, so nothing is written to it; name another file"
    }

    /// As many bytes as a header has, or all; nil where they cannot be read. For a process that has
    /// no connection to it: closing the descriptor would let go of SQLite's locks.
    private static func beginning(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: DatabaseHeader.byteCount)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    private static func full(_ folder: String) -> String? {
        guard let free = DiskSpace(inFolder: folder)?.freeBytes, free < SpaceBounds.smallest else { return nil }
        return "\(folder) has room for \(free) bytes; the proxy will keep answers in memory until there is more"
    }

    /// SQLite makes journals next to the file.
    private static func unwritable(_ path: String) -> String? {
        let directory = FilePath.folder(of: path)
        if access(directory, W_OK | X_OK) != 0 { return "\(directory): \(String(cString: strerror(errno)))" }
        let files = ["", "-wal", "-shm"].map { path + $0 } + [StoreLock.path(beside: path)]
        for file in files where access(file, F_OK) == 0 && access(file, R_OK | W_OK) != 0 {
            return "\(file): \(String(cString: strerror(errno)))"
        }
        return nil
    }
}

/// The first bytes of a database (SQLite's file format, 1.3).
private struct DatabaseHeader {
    /// The size of a file without tables, in bytes.
    let emptyBytes: Int
    /// `PRAGMA user_version`.
    let version: Int
    let applicationID: Int64
    /// Whether it has the settings of a new cache file.
    let isLikeOurs: Bool

    static let byteCount = 100
    private static let beginning = Array("SQLite format 3\0".utf8)

    /// Nil where no database begins so.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.beginning) else { return nil }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
        let pageBytes = number(16..<18) == 1 ? 1 << 16 : number(16..<18)
        // With `auto_vacuum` there is a page of pointers too.
        emptyBytes = number(52..<56) == 0 ? pageBytes : 2 * pageBytes
        version = number(60..<64)
        applicationID = Int64(number(68..<72))
        isLikeOurs = pageBytes == Schema.pageBytes && number(64..<68) != 0
    }
}
