import Glibc

/// The space of the file system that a cache file is on.
public struct DiskSpace: Sendable, Equatable {
    /// Bytes that this process may still write.
    public let freeBytes: Int
    /// Bytes of all of it.
    public let byteCount: Int
}

extension DiskSpace {
    /// Nil where the file system does not tell, as one that has no blocks.
    init?(of path: String) {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0, disk.f_blocks > 0, disk.f_frsize > 0 else { return nil }
        func bytes(_ blocks: fsblkcnt_t) -> Int {
            let (product, isOver) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
            return isOver ? .max : Int(clamping: product)
        }
        self.init(freeBytes: bytes(disk.f_bavail), byteCount: bytes(disk.f_blocks))
    }
}
