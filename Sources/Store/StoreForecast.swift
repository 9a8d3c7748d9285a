import EventLoop
import Glibc

/// Foretells the message of a start about a cache file, and changes nothing.
public enum StoreForecast {
    /// Why the answers at `path` would not be used; nil where they would, or a file could be made.
    public static func trouble(_ path: String) -> String? {
        if let reason = DatabaseFile.oddity(of: path) ?? Segments.oddity(besides: path) ?? unwritable(path) {
            return reason + "; the proxy will keep answers in memory only"
        }
        if DatabaseFile.size(path) > 0, !isDatabase(path) {
            return "\(path) is no SQLite database; the proxy will rename it and begin with an empty one"
        }
        return nil
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

    /// Whether it begins as every database does. For a process that has no connection to it:
    /// closing the descriptor would let go of SQLite's locks.
    private static func isDatabase(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let beginning = Array("SQLite format 3\0".utf8)
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return read(descriptor, &bytes, bytes.count) == bytes.count && bytes == beginning
    }
}
