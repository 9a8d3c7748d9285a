import CLinux
import EventLoop

/// How the C library keeps the memory of answers.
enum AllocatorSettings {
    /// Contents from this size on get pages of their own, which go back to the system when they are
    /// evicted. By itself the library raises this up to 32 MiB, and a cache of mixed sizes then
    /// leaves holes: 152 MiB resident instead of 127 with `memory_size` 64 MiB under twenty times
    /// its size.
    /// Not less: SQLite's page cache begins with 85 KB, which a reader takes and gives back
    /// whenever others have written.
    private static let ownPagesBytes = Int32(HeapRoom.piece + 16 << 10)
    /// The most of those at once, so that the kernel's 65530 mappings of a process suffice.
    private static let mappings: Int32 = 32_768

    /// Free memory at the end of a thread's heap stays up to this size, instead of going back to
    /// the system and coming again with each burst of answers.
    private static let keptBytes: Int32 = 4 << 20

    /// Addresses of the second arena of the C library (HEAP_MAX_SIZE); more are for processes whose
    /// addresses are not limited.
    static let arenaBytes = 64 << 20

    /// To be called before other threads run.
    static func apply() {
        // For want of addresses no thread could start.
        if ResourceLimits.addressBytes != nil { mallopt(M_ARENA_MAX, 2) }
        mallopt(M_MMAP_THRESHOLD, ownPagesBytes)
        mallopt(M_MMAP_MAX, mappings)
        mallopt(M_TRIM_THRESHOLD, keptBytes)
        // Each thread keeps small pieces anyway; the lists after those are gone through whenever
        // something large, such as an answer, is freed.
        mallopt(M_MXFAST, 0)
    }
}
