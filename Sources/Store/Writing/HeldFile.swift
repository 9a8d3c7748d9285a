import Glibc

// The file as the writer has it: its lock, its connection, and whether the names still mean it.
// Must hold: nothing is done to a file before its lock is held; every file that is opened has a
// generation of its own; of files that are set aside one is kept at most.

struct HeldFile {
    let file: DatabaseFile
    private let shared: SharedState
    private let classNames: [String]
    private(set) var connection: WriterConnection?
    /// Whether purges were written to the file as it was opened, which it had lacked.
    private(set) var hasAddedPurges = false
    /// The files that were opened last.
    private var files: FileNames?
    /// The latest damaged file that this process set aside. There is one at most: they must not
    /// fill the disk.
    private var setAside: String?
    /// The right to use the file; nil while another process has it, and for a temporary one.
    private var lock: StoreLock?
    /// Files opened so far: the latest is the store's generation.
    private var openedFiles = 0

    init(_ file: DatabaseFile, _ shared: SharedState, classNames: [String], lock: StoreLock?) {
        self.file = file
        self.shared = shared
        self.classNames = classNames
        self.lock = lock
    }

    /// - Parameter now: unix seconds.
    mutating func open(at now: Int64) throws(FileUnavailable) {
        precondition(connection == nil, "one connection writes")
        files?.removeOrphans()
        try takeLock()
        connection = try makeConnection(at: now)
        files = FileNames(path: file.path)
        shared.home = connection?.home ?? .none
        openedFiles += 1
        shared.generation.store(openedFiles, ordering: .releasing)
    }

    /// Whether the names still mean the files that are open. A few system calls.
    var isInPlace: Bool {
        connection?.ledger.log.isInPlace == true && files == FileNames(path: file.path)
    }

    /// Closes the writer's connection. Readers may go on with theirs.
    mutating func dropConnection() { connection = nil }

    /// Lets go of the file, so that readers do too.
    mutating func disconnect() {
        // Readers' connections outlive this one, so SQLite would leave rows in the -wal file: a
        // copy of the database alone would lack them, and so would a database whose log lost its
        // name. Where a reader is busy, the next start does it.
        if files?.isDatabaseInPlace == true { _ = try? connection?.transactions.emptyLog() }
        connection = nil
        shared.generation.store(0, ordering: .releasing)
        shared.directory.forget()
    }

    /// Stops writing. Readers go on, and ask the database each time: another process moves and
    /// removes records that the directory names.
    mutating func lend() {
        shared.directory.forget()
        _ = try? connection?.transactions.emptyLog()
        connection = nil
    }

    /// Sets the file aside and closes it.
    mutating func setAside(because reason: String) throws(FileUnavailable) {
        // Renamed while it is open, so that closing it leaves the fresh file's journals alone.
        let name = try file.setAside(because: reason)
        if let setAside { file.remove(setAside: setAside) }
        setAside = name
        connection = nil
        shared.generation.store(0, ordering: .releasing)
        shared.directory.forget()
    }

    /// A descriptor of the lock, for another process; nil where there is none that counts.
    var copiedLock: CInt? { lock?.isInPlace == true ? lock?.copy() : nil }

    /// Whether there is a file that no other process may write.
    var isOurs: Bool { lock?.isInPlace == true && access(file.path, F_OK) == 0 }

    func signLock() { lock?.sign() }

    /// Another process goes on with the lock.
    mutating func handOverLock() {
        lock?.noteHandedOver()
        lock = nil
    }

    mutating func releaseLock() { lock = nil }

    /// Called before anything is done to the file: a file that another process has open must not be
    /// set aside.
    private mutating func takeLock() throws(FileUnavailable) {
        guard !file.isTemporary, lock?.isInPlace != true else { return }
        lock = nil
        do throws(StoreLock.Failure) {
            lock = try StoreLock(file.path)
        } catch {
            throw FileUnavailable(reason: error.words(about: file.path), fault: .busy)
        }
    }

    private mutating func makeConnection(at now: Int64) throws(FileUnavailable) -> WriterConnection {
        try file.judgedTwice { () throws(FileUnavailable) in
            let database = try file.open(of: shared.origin, oldOf: shared.first)
            do throws(SQLiteError) {
                let log = try SegmentLog(shared.segments)
                let connection = try WriterConnection(
                    database, file.bounds(with: log.byteCount), RowLedger(shared.directory, log)
                ) { [shared] tag in shared.origins.withLock { $0.first { $0.tag == tag }?.name } }
                try connection.write(classNames: classNames)
                // Known before anything in the file is found, or written to it.
                let missing = shared.owner.note(try database.marks(.purge)) {
                    shared.pending.withLock { $0.dropPurges() }
                }
                try connection.write(missing, at: now)
                hasAddedPurges = !missing.isEmpty
                return .success(connection)
            } catch {
                if error.isDamage { return .failure(DatabaseFile.Damage(reason: "\(error)")) }
                throw FileUnavailable(reason: "\(file.path): \(error)", fault: error.fault)
            }
        }
    }
}
