// How the store fares: for /stats, /readyz and tests.

/// Whether the store can be used.
public enum StoreHealth: Sendable, Equatable {
    /// Reading and writing.
    case available
    /// Writes fail (a full disk, a lock, an I/O error); reads may go on, and writing is tried
    /// again.
    case failing(String)
    /// There is no usable file; everything goes on from memory, and opening is tried again.
    case unavailable(String)
    /// Closed for good.
    case closed
}

/// A snapshot of the store. Counters run since the process began.
public struct StoreStatus: Sendable, Equatable {
    public var health = StoreHealth.unavailable("not opened yet")
    /// Rows, as of the latest transaction.
    public var entries = 0
    /// Bytes of targets, variants, fields and bodies, as of the latest transaction.
    public var byteCount = 0
    /// Records written.
    public var written = 0
    /// Stores dropped because too much was waiting, or the record is too large for the bound.
    public var dropped = 0
    /// Transactions that failed, attempts to open a file that did, and files that were removed
    /// while they were open.
    public var failedTransactions = 0
    /// Rows evicted for space.
    public var evicted = 0
    /// Rows whose record is gone or whose checksum did not match, and files set aside.
    public var damaged = 0
    /// Answers that went because the disk cannot be read there, or their segment was gone.
    public var lost = 0
    /// Rows that the slow look at the whole file has come by.
    public var checked = 0
    /// Look-ups that SQLite answered with an error; the client saw a miss.
    public var failedReads = 0

    public init() {}
}
