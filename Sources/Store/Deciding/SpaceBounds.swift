// The parts of `cache_size`. Everything on disk together stays within it: the segments, the
// database, its write-ahead log, and the shared memory that indexes the log.
// Must hold: the log before a transaction (`checkpointBytes`) and the largest transaction fit into
// `journalBytes`; a transaction is begun only where its estimate fits into `fileBytes`.

/// Bounds of the space that the file takes, in bytes.
struct SpaceBounds: Equatable {
    /// The write-ahead log at most. A larger one would save little: most pages are written to it
    /// once.
    let journalBytes: Int
    /// The database file and the segments at most.
    let fileBytes: Int

    /// Below it a few tables and indexes would fill the file.
    static let smallest = 1 << 20
    /// The pages that a row changes: of the entry and three indexes, for itself and for the row
    /// that it replaces. Neighbours share most of them.
    private static let pagesPerRow = 7
    /// The pages that every transaction changes: the first one, totals, free lists, the tops of the
    /// trees.
    private static let sharedPages = 24
    /// A frame of the log is a page and a header; each 4096 frames have 32 KiB of shared memory,
    /// the first 4062 too.
    private static let framesPerSharedBlock = 4_062
    private static let sharedBlockBytes = 32 << 10

    init(maxBytes: Int) {
        let total = max(maxBytes, Self.smallest)
        journalBytes = min(32 << 20, total / 4)
        let blocks = journalBytes / Schema.pageBytes / Self.framesPerSharedBlock + 1
        fileBytes = total - journalBytes - blocks * Self.sharedBlockBytes
    }

    /// From this size on the log is copied into the database.
    var checkpointBytes: Int { journalBytes / 4 }
    /// The estimates of one transaction, unless it is of one record alone.
    var batchBytes: Int { journalBytes / 4 }
    /// The records of one transaction, unless it is of one record alone: room for all of them is
    /// made at once, and the evictions of one transaction are bounded.
    var batchRecordBytes: Int { fileBytes / 16 }
    /// The largest record that is written.
    var largestResponse: Int { journalBytes / 2 }
    /// Rows evicted, or last-use times written, in one transaction.
    var batchRows: Int { batchBytes / Self.estimate(rowBytes: 0) }

    /// The bytes in the log for writing or removing a row with that many bytes besides numbers.
    static func estimate(rowBytes: Int) -> Int { rowBytes * 2 + pagesPerRow * Schema.pageBytes }

    /// The most that the database grows by when that many rows are written: each row may divide a
    /// page in each of two trees, and the other trees grow at their ends.
    static func growth(rowBytes: Int, rows: Int) -> Int {
        rowBytes - rows * (pagesPerRow - 2) * Schema.pageBytes + sharedPages * Schema.pageBytes
    }

    /// The size at which a segment is full: there are many, so that giving one up moves little.
    var segmentBytes: Int {
        let part = fileBytes / Self.segments / Place.unit * Place.unit
        return min(max(part, Self.leastSegment), Place.longestSegment)
    }

    private static let segments = 64
    private static let leastSegment = 64 << 10

    /// The bytes in the log for a transaction of that estimate; each page has a header.
    static func journalBytes(writing bytes: Int) -> Int {
        let pages = bytes + sharedPages * Schema.pageBytes
        return pages + pages / 64
    }

    /// How often the use of an entry is written, in seconds, where the least recently used one was
    /// used `span` seconds before the latest: fine enough to order them, and rare enough for a busy
    /// cache not to write all day for its hits.
    static func useInterval(span: Int) -> Int { min(max(span / 16, 60), 3_600) }
}
