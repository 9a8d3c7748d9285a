import Glibc

// Room for what is kept, taken in pieces.
// Why: the C library lets a thread's memory grow by just what is asked for, which is a system call
// for each answer that is kept, and a page fault for each 4 KiB of it. Both cost more than the
// copying.
// Must hold: nothing is allocated for good here; a piece is given back to the C library, not to the
// kernel, before the call returns.

/// How much one thread keeps, and when it needs more room. For the thread that calls it.
public struct HeapRoom {
    private var used = 0

    /// Bytes at a time. What the C library gives pages of their own (`M_MMAP_THRESHOLD`) must be
    /// larger.
    public static let piece = 112 << 10
    private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

    public init() {}

    /// Tells that so many bytes more are kept by this thread.
    public mutating func note(_ bytes: Int) {
        used += bytes
        guard used >= Self.piece / 2 else { return }
        used = 0
        Self.extend()
    }

    /// Has the free end of the thread's memory be that long, its pages present.
    private static func extend() {
        guard let piece = malloc(piece) else { return }
        let start = (Int(bitPattern: piece) + page - 1) & ~(page - 1)
        let end = (Int(bitPattern: piece) + Self.piece) & ~(page - 1)
        // A kernel before 5.14 refuses, and the pages come one by one, as they would.
        madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_POPULATE_WRITE)
        free(piece)
    }
}
