import CSQLite

// A prepared statement. Owns its pointer and finalises it.
// Must hold: a value that is bound without copying it is bound, stepped and unbound within one call
// that keeps it alive; a statement is always reset before a call returns, so that none but a
// transaction begun by `BEGIN` outlives it.

/// The value of a parameter.
enum SQLValue {
    case integer(Int64)
    /// UTF-8, or bytes that are shown as such.
    case text(ArraySlice<UInt8>)
    case blob(ArraySlice<UInt8>)
}

final class Statement {
    private let database: Database
    private let handle: OpaquePointer

    /// Prepares one statement, for good.
    init(_ database: Database, _ sql: String) throws(SQLiteError) {
        self.database = database
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try database.check(sqlite3_prepare_v3(database.handle, sql, -1, flags, &prepared, nil))
        guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement") }
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement to its end, with the values for ?1, ?2, ... in their order.
    func run(_ values: SQLValue...) throws(SQLiteError) {
        try forEachRow(values) { _ in true }
    }

    /// Runs a statement whose first parameters are integers, then texts, then a blob of words.
    /// Nothing is allocated: bound values stay where they are until the statement has ended.
    func insert(
        _ integers: InlineArray<18, Int64>, texts one: ArraySlice<UInt8>, _ two: ArraySlice<UInt8>,
        _ three: ArraySlice<UInt8>, _ four: ArraySlice<UInt8>, blob words: [UInt64]
    ) throws(SQLiteError) {
        for index in integers.indices { sqlite3_bind_int64(handle, Int32(index + 1), integers[index]) }
        let first = Int32(integers.count + 1)
        let code = one.withUnsafeBytes { one in
            two.withUnsafeBytes { two in
                three.withUnsafeBytes { three in
                    four.withUnsafeBytes { four in
                        words.withUnsafeBytes { words in
                            bind(text: one, first, csqlite_static())
                            bind(text: two, first + 1, csqlite_static())
                            bind(text: three, first + 2, csqlite_static())
                            bind(text: four, first + 3, csqlite_static())
                            bind(blob: words, first + 4, csqlite_static())
                            return sqlite3_step(handle)
                        }
                    }
                }
            }
        }
        try end(code)
    }

    @discardableResult
    private func bind(text: UnsafeRawBufferPointer, _ index: Int32, _ kept: sqlite3_destructor_type?) -> Int32 {
        // An empty slice may have no address, and a null one would bind NULL.
        guard let start = text.baseAddress, !text.isEmpty else {
            return sqlite3_bind_text(handle, index, "", 0, csqlite_transient())
        }
        return sqlite3_bind_text(handle, index, start.assumingMemoryBound(to: CChar.self), Int32(text.count), kept)
    }

    @discardableResult
    private func bind(blob: UnsafeRawBufferPointer, _ index: Int32, _ kept: sqlite3_destructor_type?) -> Int32 {
        guard let start = blob.baseAddress, !blob.isEmpty else {
            return sqlite3_bind_zeroblob(handle, index, 0)
        }
        return sqlite3_bind_blob(handle, index, start, Int32(blob.count), kept)
    }

    /// Returns what `read` makes of the first row; nil where there is none.
    func firstRow<R>(_ values: SQLValue..., read: (Row) -> R) throws(SQLiteError) -> R? {
        var result: R?
        try forEachRow(values) { row in
            result = read(row)
            return false
        }
        return result
    }

    /// Calls `read` with row after row until it returns false.
    func forEachRow(_ values: [SQLValue], read: (Row) -> Bool) throws(SQLiteError) {
        var code = bind(values)
        if code == SQLITE_OK {
            repeat { code = sqlite3_step(handle) } while code == SQLITE_ROW && read(Row(handle))
        }
        try end(code)
    }

    private func end(_ code: Int32) throws(SQLiteError) {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        // The message belongs to the latest call, so it is taken before the reset.
        try database.check(code)
    }

    /// Binds copies of the values, up to the first that cannot be.
    private func bind(_ values: [SQLValue]) -> Int32 {
        var (code, index) = (SQLITE_OK, Int32(0))
        for value in values where code == SQLITE_OK {
            index += 1
            switch value {
            case .integer(let integer): code = sqlite3_bind_int64(handle, index, integer)
            case .text(let bytes): code = bytes.withUnsafeBytes { bind(text: $0, index, csqlite_transient()) }
            case .blob(let bytes): code = bytes.withUnsafeBytes { bind(blob: $0, index, csqlite_transient()) }
            }
        }
        return code
    }
}

/// The current row of a statement; valid only inside the closure that got it.
struct Row {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    /// The integer in a column; whatever else it holds is converted, NULL to 0.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A copy of the bytes in a column.
    func bytes(_ column: Int32) -> [UInt8] {
        // The pointer first: asking for it may convert the value and with it the count.
        let start = sqlite3_column_blob(handle, column)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// A copy of the 64-bit words in a column, in this machine's byte order; the rest of a cut one
    /// is no word.
    func words(_ column: Int32) -> [UInt64] {
        bytes(column).withUnsafeBytes { raw in
            (0..<raw.count / 8).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
        }
    }

    /// The text in a column; for logs and listings.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

extension Database {
    /// The single integer that `sql` yields; 0 where it yields none.
    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try Statement(self, sql).firstRow { $0.integer(0) } ?? 0
    }
}
