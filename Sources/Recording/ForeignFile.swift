/// Files that are given for recordings by mistake, told by how they begin.
enum ForeignFile {
    private static let beginnings: [(bytes: [UInt8], name: String)] = [
        ([0x1F, 0x8B], "compressed with gzip; unpack it first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd; unpack it first"),
        (Array("PK\u{3}\u{4}".utf8), "a zip archive; unpack it first"),
        (Array("SQLite format 3\0".utf8), "an SQLite database, not a recording"),
        ([0x89, 0x50, 0x4E, 0x47], "an image"), ([0xFF, 0xD8, 0xFF], "an image"), (Array("GIF8".utf8), "an image"),
        ([0xFF, 0xFE], "UTF-16; recordings and HAR are UTF-8"), ([0xFE, 0xFF], "UTF-16; recordings and HAR are UTF-8"),
        (Array("<".utf8), "HTML or XML, not a recording"),
    ]

    /// The file's kind; nil where it may be a recording.
    static func name(_ beginning: ArraySlice<UInt8>) -> String? {
        let text = beginning.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return beginnings.first { text.starts(with: $0.bytes) }?.name
    }
}
