import Glibc

// Memory for kept answers, taken from the kernel in large pieces.
// Why: the C library extends a thread's heap by just the size asked for. That is a system call for
// each kept answer and a page fault for each 4 KiB of it, which cost more than the copying.
// Must hold: nothing stays allocated here; a piece goes back to the C library, not to the kernel,
// before the call returns.

/// Counts the bytes that one thread keeps, and extends its heap. For the thread that calls it.
public struct HeapRoom {
    private var used = 0

    /// The size of a piece, in bytes. `M_MMAP_THRESHOLD` must be larger.
    public static let piece = 112 << 10
    private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

    public init() {}

    /// Notes that this thread keeps that many bytes more.
    public mutating func note(_ bytes: Int) {
        used += bytes
        guard used >= Self.piece / 2 else { return }
        used = 0
        Self.extend()
    }

    /// Extends the free end of the thread's heap by a piece, its pages present.
    private static func extend() {
        guard let piece = malloc(piece) else { return }
        let start = (Int(bitPattern: piece) + page - 1) & ~(page - 1)
        let end = (Int(bitPattern: piece) + Self.piece) & ~(page - 1)
        // A kernel before 5.14 refuses, and the pages come one by one, as they would.
        madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_POPULATE_WRITE)
        free(piece)
    }
}
