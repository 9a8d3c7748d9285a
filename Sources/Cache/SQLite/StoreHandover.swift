// How the file goes from one process to the next while both run.
// Must hold: of two processes one writes at most; what the first had queued is written before the
// second begins; if the second does not come to be, the first goes on with all that has come since.

extension SQLiteStore {
    /// A descriptor by which another process holds the lock of the file too (`StoreLock`). It
    /// belongs to the caller; nil where there is nothing to hand over.
    public var copiedLock: CInt? { writer.withLock { $0.copiedLock } }

    /// Writes what is queued and lets go of the file but for reading. What comes from then on waits
    /// in memory. Never on a loop.
    public func lend() {
        queue.sync {
            writer.withLock { writer in
                _ = writer.drain(for: self)
                writer.lend(for: self)
            }
        }
    }

    /// Goes on writing, with what has come meanwhile.
    public func takeBack() {
        queue.sync { writer.withLock { $0.takeBack(for: self) } }
        flush()
    }

    /// The other process goes on for good; this one reads until it ends.
    public func noteHandedOver() {
        checkRate = 0
        writer.withLock { $0.noteHandedOver() }
    }
}
