/// The first bytes of a database (SQLite's file format, 1.3).
struct DatabaseHeader {
    /// The size of a file without tables, in bytes.
    let emptyBytes: Int
    /// `PRAGMA user_version`.
    let version: Int
    let applicationID: Int64
    /// Whether it has the settings of a new cache file.
    let isLikeOurs: Bool

    static let byteCount = 100
    private static let beginning = Array("SQLite format 3\0".utf8)

    /// Nil where no database begins so.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.beginning) else { return nil }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
        let pageBytes = number(16..<18) == 1 ? 1 << 16 : number(16..<18)
        // With `auto_vacuum` there is a page of pointers too.
        emptyBytes = number(52..<56) == 0 ? pageBytes : 2 * pageBytes
        version = number(60..<64)
        applicationID = Int64(number(68..<72))
        isLikeOurs = pageBytes == Schema.pageBytes && number(64..<68) != 0
    }
}
