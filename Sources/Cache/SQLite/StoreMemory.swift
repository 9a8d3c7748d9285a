/// What the store may take in memory, in bytes; beside its answers, which the memory tier holds.
public enum StoreMemory {
    /// Answers that wait to be written, or are being written.
    public static let pendingBytes = 32 << 20
    /// SQLite's pages for the writer, and what looks through the file.
    public static let writerBytes = (8 + 2) << 20
    /// Of each loop: in which row a key was found, and SQLite's pages.
    public static let bytesPerLoop = (16 + 4) << 20
}
