/// The signs that tell a cache file from a file of another program (see DATABASE.md).
///
/// Must hold: a file with something in it is renamed only where a sign shows that it is a cache
/// file.
struct FileSigns {
    /// The size of the file; 0 where there is none.
    var byteCount = 0
    /// The file's header, or all of a shorter file; nil where it cannot be read.
    var beginning: [UInt8]?
    /// The size of the database's write-ahead log.
    var logBytes = 0
    /// Whether the folder of segments is beside it: only a cache file gets one.
    var hasSegments = false

    enum Verdict: Equatable {
        /// There is nothing in it, or no file.
        case vacant
        /// It is a cache file, sound or damaged.
        case ours
        /// Nothing shows that it is one; the words name its kind.
        case foreign(String)
        /// It cannot be read, and no other sign is there.
        case unread
    }

    /// Words for a database without the mark.
    static let otherDatabase = "is the database of another program, not a cache file"
    private static let noDatabase =
        "is not an SQLite database and has no segments, so it is not a cache file"

    var verdict: Verdict {
        guard byteCount > 0 else { return .vacant }
        guard let beginning else { return hasSegments ? .ours : .unread }
        guard let header = DatabaseHeader(beginning) else { return hasSegments ? .ours : .foreign(Self.noDatabase) }
        if header.applicationID == Schema.applicationID { return .ours }
        // The mark is wrong, or is still in the log.
        if hasSegments, header.isLikeOurs { return .ours }
        // A start was cut off before there were tables; those of others may be in their log.
        let isBlank = header.version == 0 && header.applicationID == 0 && byteCount <= header.emptyBytes
        return isBlank && (header.isLikeOurs || logBytes == 0) ? .vacant : .foreign(Self.otherDatabase)
    }
}
