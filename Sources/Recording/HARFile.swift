import AppleMusic

/// A HAR 1.2 file, read whole.
struct HARFile {
    let header: RecordingHeader
    let exchanges: [RecordedExchange]
    let bodies: RecordedBodies
    let warnings: [String]

    /// Whether a file that begins so is HAR: an object whose first member is `log`.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        let text = bytes.filter { $0 > 0x20 && $0 < 0x80 }.prefix(6)
        return text.elementsEqual(Array("{\"log\"".utf8))
    }

    init(path: String, bytes: [UInt8]) throws(RecordingError) {
        throw .badFile(path: path, reason: "HAR is not read yet")
    }
}
