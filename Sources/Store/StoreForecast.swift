import EventLoop
import Glibc

/// Foretells the message of a start about a cache file, and changes nothing.
public enum StoreForecast {
    /// Why the answers at `path` would not be used; nil where they would, or a file could be made.
    public static func trouble(_ path: String) -> String? {
        if let reason = DatabaseFile.oddity(of: path) ?? Segments.oddity(besides: path) ?? unwritable(path) {
            return reason + "; the proxy will keep answers in memory only"
        }
        let signs = FileSigns(of: path)
        if signs.verdict == .ours, let bytes = signs.beginning {
            let header = DatabaseHeader(bytes)
            let version = header.map { Int64($0.version) } ?? 0
            if header == nil { return "\(path) is not an SQLite database; \(consequence)" }
            if version != 0, !Schema.readable.contains(version) {
                return "\(path) is of version \(version), not \(Schema.version); \(consequence)"
            }
        }
        let folder = FilePath.folder(of: path)
        guard let free = DiskSpace(of: folder)?.freeBytes, free < SpaceBounds.smallest else { return nil }
        return "\(folder) has \(free) bytes free; the proxy will keep answers in memory only until there is more space"
    }

    private static let consequence = "the proxy will rename it and start with an empty one"

    /// Why the cache at `path` must not be used: another user may have laid some of it there. Nil
    /// where none can have.
    public static func distrust(_ path: String, _ trust: FileTrust = .ofThisProcess) -> FileObjection? {
        StoreNames.objection(to: path, trust)
    }

    /// Why nothing may be written to a file at `path`: nothing shows that it is a cache file. Nil
    /// where it may, or there is none.
    public static func objection(_ path: String) -> String? {
        guard DatabaseFile.oddity(of: path) == nil, case .foreign(let what) = FileSigns(of: path).verdict else {
            return nil
        }
        return what + ", and nothing is written to it; name another file"
    }

    /// The records of other origins in the cache at `path`; none where it cannot be read, or does
    /// not tell origins apart yet.
    public static func others(_ path: String, than origin: Origin) -> [OriginRows] {
        guard FileSigns(of: path).verdict == .ours, let database = try? Database(reading: path),
            let found = try? OriginTable(database)
        else { return [] }
        return found.shares.filter { $0.name != origin.name }
    }

    /// The bytes that the cache at `path` takes; nil where `maxBytes` allow them.
    public static func excess(_ path: String, over maxBytes: Int) -> Int? {
        let segments = (try? Segments.listed(in: Segments.folder(of: path))) ?? [:]
        let used = segments.values.reduce(DatabaseFile.size(path), +)
        return used > maxBytes ? used : nil
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
