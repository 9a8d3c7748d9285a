import Glibc

// Which files the names of a store mean at a moment: others may remove, replace or bring back files
// that a connection has open.

/// A file, whatever it is called.
private struct FileIdentity: Equatable {
    let device: UInt
    let number: UInt

    /// Nil where there is no file of that name.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
    }
}

/// The database, its write-ahead log, the log's index, and the folder of segments.
struct FileNames: Equatable {
    private static let companions = ["-wal", "-shm", ".segments"]

    private let path: String
    private let database: FileIdentity?
    /// A database that was cut to nothing is another.
    private let isDatabaseEmpty: Bool
    private let beside: [FileIdentity?]

    /// The files that the names mean now.
    init(path: String) {
        self.path = path
        database = FileIdentity(path)
        isDatabaseEmpty = DatabaseFile.size(path) == 0
        beside = Self.companions.map { FileIdentity(path + $0) }
    }

    /// Whether the database still has its name.
    var isDatabaseInPlace: Bool { database != nil && FileIdentity(path) == database }

    /// Removes log and index where the database lost its name and they did not: they belong to it
    /// alone, and connections to another file of that name would share them with the old ones.
    func removeOrphans() {
        guard !isDatabaseInPlace else { return }
        for (companion, identity) in zip(Self.companions, beside) {
            guard let identity, FileIdentity(path + companion) == identity else { continue }
            // A folder stays: its segments go when the database is made anew.
            unlink(path + companion)
        }
    }
}
