import CSQLite

// Writes SQLite's write-ahead log in larger pieces. SQLite writes each frame with two calls of the
// system, of 24 bytes and of a page, and a stored answer changes a page or two.
// Must hold: whatever SQLite asks of the file finds all that it wrote; the last frame of a
// transaction is in the file before the call returns that brought it, so that a full or failing
// disk fails the transaction, and readers are told of no frame that is not there; frames that were
// rolled back are never written. It depends on `synchronous` being NORMAL or OFF: with FULL, SQLite
// cuts the last page in two.

final class GatheredLog {
    private typealias File = UnsafeMutablePointer<sqlite3_file>

    /// Stands in place of the methods of the open file, which SQLite finds by the address of these.
    private struct Table {
        var methods: sqlite3_io_methods
        let log: Unmanaged<GatheredLog>
    }

    private let original: UnsafePointer<sqlite3_io_methods>
    /// Bytes that are not written yet, and where in the file the first of them belongs.
    private var bytes: [UInt8] = []
    private var offset: Int64 = 0
    /// Whether the page that comes next is the last one of its transaction.
    private var endsTransaction = false
    /// Why something of the transaction could not be written that SQLite takes for written; until
    /// it is rolled back, nothing more can be.
    private var failure: Int32?

    private static let pieceBytes = 64 << 10
    /// The size of a frame's header. Its bytes 4 to 8 say how many pages the database has after the
    /// transaction that the frame ends; they are 0 in all others (SQLite file format, 4.1).
    private static let headerBytes = 24
    private static let databasePages = 4..<8

    /// From now on the connection's writes to its log, which must be open, are gathered. Once a
    /// connection.
    static func gather(_ database: Database) {
        guard let file = database.logFile, let original = file.pointee.pMethods else { return }
        let log = Unmanaged.passRetained(GatheredLog(original))
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(to: Table(methods: methods(like: original.pointee), log: log))
        file.pointee.pMethods = UnsafeRawPointer(table).assumingMemoryBound(to: sqlite3_io_methods.self)
        // The log outlives every statement of its connection.
        database.onRollback(log.toOpaque()) { log in
            if let log { Unmanaged<GatheredLog>.fromOpaque(log).takeUnretainedValue().forget() }
        }
    }

    private func forget() {
        bytes.removeAll(keepingCapacity: true)
        (failure, endsTransaction) = (nil, false)
    }

    private init(_ original: UnsafePointer<sqlite3_io_methods>) {
        self.original = original
        bytes.reserveCapacity(Self.pieceBytes + Schema.pageBytes)
    }

    /// The methods that the table has room for. An SQLite that is newer than its header calls those
    /// of a higher version where there is one.
    private static let knownVersion: Int32 = 3

    /// Methods that gather writes; those that depend on earlier writes write the bytes out before.
    static func methods(like original: sqlite3_io_methods) -> sqlite3_io_methods {
        var methods = original
        methods.iVersion = min(methods.iVersion, knownVersion)
        methods.xWrite = { file, bytes, count, offset in
            guard let file, let bytes else { return SQLITE_MISUSE }
            return GatheredLog.of(file).take(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset, file)
        }
        methods.xRead = { file, bytes, count, offset in
            GatheredLog.writingOut(file) { $0.xRead(file, bytes, count, offset) }
        }
        methods.xSync = { file, flags in GatheredLog.writingOut(file) { $0.xSync(file, flags) } }
        methods.xTruncate = { file, size in GatheredLog.writingOut(file) { $0.xTruncate(file, size) } }
        methods.xFileSize = { file, size in GatheredLog.writingOut(file) { $0.xFileSize(file, size) } }
        methods.xClose = { file in file.map(GatheredLog.close) ?? SQLITE_MISUSE }
        return methods
    }

    private static func table(of file: File) -> UnsafeMutablePointer<Table> {
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer(file.pointee.pMethods))
            .assumingMemoryBound(to: Table.self)
    }

    private static func of(_ file: File) -> GatheredLog { table(of: file).pointee.log.takeUnretainedValue() }

    private static func writingOut(_ file: File?, _ body: (sqlite3_io_methods) -> Int32) -> Int32 {
        guard let file else { return SQLITE_MISUSE }
        let log = of(file)
        let code = log.writeOut(file)
        return code == SQLITE_OK ? body(log.original.pointee) : code
    }

    /// The rest ends no transaction and can be dropped.
    private static func close(_ file: File) -> Int32 {
        let table = table(of: file)
        let log = table.pointee.log.takeRetainedValue()
        file.pointee.pMethods = log.original
        table.deinitialize(count: 1)
        table.deallocate()
        return log.original.pointee.xClose(file)
    }

    private func take(_ part: UnsafeRawBufferPointer, at place: Int64, _ file: File) -> Int32 {
        if let failure { return failure }
        if place != offset + Int64(bytes.count) {
            let code = writeOut(file)
            guard code == SQLITE_OK else { return code }
        }
        if bytes.isEmpty { offset = place }
        bytes.append(contentsOf: part)
        let isLastPage = endsTransaction
        // Such a header may come without its page too, where only a checksum changes.
        endsTransaction = part.count == Self.headerBytes && Self.databasePages.contains { part[$0] != 0 }
        return endsTransaction || isLastPage || bytes.count >= Self.pieceBytes ? writeOut(file) : SQLITE_OK
    }

    /// Frames that cannot be written are dropped, and their transaction fails.
    private func writeOut(_ file: File) -> Int32 {
        guard !bytes.isEmpty else { return SQLITE_OK }
        defer { bytes.removeAll(keepingCapacity: true) }
        let code = bytes.withUnsafeBytes {
            original.pointee.xWrite(file, $0.baseAddress, Int32($0.count), offset)
        }
        if code != SQLITE_OK { failure = code }
        return code
    }
}
