import AppleMusic

/// An index of recorded responses (`index.jsonl`), read whole.
struct IndexFile {
    let header: RecordingHeader
    let exchanges: [RecordedExchange]
    let bodies: RecordedBodies

    init(path: String, first: FileLine, rest: InputFile) throws(RecordingError) {
        throw .badFile(path: path, reason: "an index is not read yet")
    }
}
