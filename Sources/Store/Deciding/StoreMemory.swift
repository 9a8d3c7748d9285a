/// The memory that the store may take, in bytes, without answers in the memory tier.
public enum StoreMemory {
    /// Records that wait to be written, or are being written.
    public static let pendingBytes = 32 << 20
    /// SQLite's pages for the writer and for looks through the file, and the records that are
    /// appended or moved at once.
    public static let writerBytes = (8 + 2 + 4) << 20
    /// SQLite's pages, of each loop.
    public static let bytesPerLoop = 1 << 20

    /// The keys whose place is known in memory: of records of 1 KiB all.
    static func mostKeys(cacheSize: Int) -> Int { max(cacheSize >> 10, 1 << 14) }

    /// Places of keys.
    public static func directoryBytes(cacheSize: Int) -> Int {
        mostKeys(cacheSize: cacheSize) * KeyDirectory.bytesPerKey
    }
}
