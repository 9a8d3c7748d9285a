import Text

/// Reads a recording, an exchange at a time, in the order of its lines.
///
/// Recognises three kinds of files by their beginning: recordings of this program, read as a
/// stream; HAR and indexes of recorded responses, read whole.
///
/// Confined to its owner.
public final class RecordingReader {
    public let path: String
    public let header: RecordingHeader
    public let bodies: RecordedBodies
    /// Everything left out so far: the reason, and the first line of each kind.
    ///
    /// A last line that is cut off is no error: its writer was killed, or still writes.
    public var warnings: [String] {
        var warnings = otherWarnings
        if let first = unreadable.line {
            let lines = unreadable.count == 1 ? "this line is" : "this line and \(unreadable.count - 1) more are"
            warnings.append("\(path):\(first): \(unreadable.reason); \(lines) left out")
        }
        if let first = dropped.line {
            warnings.append(
                "\(path):\(first): \(dropped.count == 1 ? "1 exchange was" : "\(dropped.count) exchanges were") not recorded, from here on; "
                    + "the writer was too slow, or its disk failed"
            )
        }
        if let first = bodiless.line {
            let place = path == Self.name(of: Self.standardInput) ? "the input" : RecordedBodies.path(beside: path)
            warnings.append(
                "\(path):\(first): not in \(place), from here on: "
                    + (bodiless.count == 1 ? "1 body, which counts" : "\(bodiless.count) bodies, which count")
                    + " as not recorded")
        }
        return warnings
    }
    private var otherWarnings: [String] = []
    /// Exchanges that lines report as dropped, and the first such line.
    private var dropped: (count: Int, line: Int?) = (0, nil)
    /// Bodies that are named and missing, and the first line that names one.
    private var bodiless: (count: Int, line: Int?) = (0, nil)
    /// Lines that cannot be read; the first of them and its error.
    private var unreadable: (count: Int, line: Int?, reason: String) = (0, nil, "")
    /// Lines that could be read, after the first one of the file.
    private var readable = 0
    /// nil: the file was read whole into `held`.
    private let file: InputFile?
    private var held: ArraySlice<RecordedExchange> = []
    /// Whether the bodies are wanted: a replay that compares nothing need not know them.
    private let readsBodies: Bool

    /// The path that means the standard input.
    public static let standardInput = "-"

    /// A path as messages and reports name it.
    public static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// - Parameter path: a file; a directory with an `index.jsonl`; or `standardInput`.
    /// - Throws: `RecordingError` for a file that cannot be read or is no recording.
    public init(path: String, readsBodies: Bool = true) throws(RecordingError) {
        self.readsBodies = readsBodies
        let isStandardInput = path == Self.standardInput
        let folder = !isStandardInput && InputFile.isDirectory(path) ? path : nil
        let path = folder.map { $0 + "/index.jsonl" } ?? Self.name(of: path)
        self.path = path
        if let folder, try InputFile.resolved(path, within: folder) == nil {
            throw .badFile(path: path, reason: "leads out of its folder")
        }
        let file = try isStandardInput ? InputFile(standardInputAs: path) : InputFile(path)
        try file.skipByteOrderMark()
        let beginning = try file.beginning()
        if let foreign = ForeignFile.name(beginning) { throw .badLine(path: path, line: 1, reason: foreign) }
        if HARFile.begins(with: beginning) {
            let har = try HARFile(path: path, bytes: file.rest())
            (header, bodies, otherWarnings) = (har.header, har.bodies, har.warnings)
            (self.file, held) = (nil, har.exchanges[...])
            return
        }
        guard let first = try Self.firstLine(of: file) else { throw .empty(path: path) }
        guard let object = try? JSON.parse(first.bytes), object.objectValue != nil else {
            throw .badLine(
                path: path, line: first.number,
                reason: "not a JSON object; recordings and HAR files begin with one")
        }
        guard RecordingHeader.begins(object) else {
            let index = try IndexFile(path: path, first: first, rest: file)
            (header, bodies, otherWarnings) = (index.header, index.bodies, index.warnings)
            (self.file, held) = (nil, index.exchanges[...])
            return
        }
        do {
            header = try RecordingHeader(object)
        } catch {
            throw .badLine(path: path, line: first.number, reason: error.reason)
        }
        bodies = isStandardInput || !readsBodies ? RecordedBodies([:]) : try RecordedBodies(beside: path)
        self.file = file
    }

    /// The first that is not blank.
    private static func firstLine(of file: InputFile) throws(RecordingError) -> FileLine? {
        while let line = try file.nextLine() {
            if !line.isBlank { return line }
        }
        return nil
    }

    /// The next exchange; nil at the end. Lines that cannot be read are left out.
    /// - Throws: `RecordingError` if the file cannot be read. At the end of a file with more
    ///   unreadable than readable lines, which is no recording, the error of the first one.
    public func next() throws(RecordingError) -> RecordedExchange? {
        guard let file else { return held.popFirst() }
        while let line = try nextLine(of: file) {
            do throws(LineProblem) {
                let exchange = try exchange(line)
                readable += 1
                if let exchange { return exchange }
            } catch {
                leaveOut(line, error.reason)
            }
        }
        guard let first = unreadable.line, unreadable.count > readable else { return nil }
        let all = unreadable.count + readable
        let share = all > 1 ? "\(unreadable.count) of \(all) lines cannot be read, the first: " : ""
        throw .badLine(path: path, line: first, reason: share + unreadable.reason)
    }

    /// The next line that is neither blank nor too long to be held.
    private func nextLine(of file: InputFile) throws(RecordingError) -> FileLine? {
        while true {
            do throws(RecordingError) {
                guard let line = try file.nextLine() else { return nil }
                if !line.isBlank { return line }
            } catch {
                guard case .badLine(_, _, let reason) = error else { throw error }
                leaveOut(try file.skipLine(), reason)
            }
        }
    }

    private func leaveOut(_ line: FileLine, _ reason: String) {
        guard line.isWhole else {
            return otherWarnings.append("\(path):\(line.number): the last line is truncated and skipped")
        }
        unreadable.count += 1
        if unreadable.line == nil { (unreadable.line, unreadable.reason) = (line.number, reason) }
    }

    /// Progress of reading.
    public struct Progress: Sendable {
        public let exchanges: Int
        /// How much of the file was read, from 0 to 1.
        public let share: Double
    }

    /// Calls `body` with each remaining exchange.
    /// - Parameter watch: called after every 2,048 exchanges.
    public func forEach(
        watch: (Progress) -> Void = { _ in }, _ body: (RecordedExchange) -> Void
    ) throws(RecordingError) {
        var count = 0
        while let exchange = try next() {
            body(exchange)
            count += 1
            if count.isMultiple(of: Self.watchInterval) { watch(Progress(exchanges: count, share: file?.share ?? 1)) }
        }
    }

    private static let watchInterval = 2048

    func rest() throws(RecordingError) -> [RecordedExchange] {
        var all: [RecordedExchange] = []
        while let exchange = try next() { all.append(exchange) }
        return all
    }

    /// nil for a line of another kind, such as one that reports dropped exchanges.
    private func exchange(_ line: FileLine) throws(LineProblem) -> RecordedExchange? {
        let object = try Self.object(line)
        if let count = object["dropped"]?.intValue {
            dropped = (dropped.count.addingReportingOverflow(count).partialValue, dropped.line ?? line.number)
            return nil
        }
        // A kind that a later version adds.
        if object["method"] == nil, object["target"] == nil { return nil }
        var exchange = try RecordedExchange(object)
        guard readsBodies, let hash = exchange.body else { return exchange }
        if let shared = bodies.shared(hash) {
            exchange.body = shared
        } else {
            bodiless = (bodiless.count + 1, bodiless.line ?? line.number)
        }
        return exchange
    }

    private static func object(_ line: FileLine) throws(LineProblem) -> JSON {
        let object: JSON
        do {
            object = try JSON.parse(line.bytes)
        } catch {
            throw LineProblem("\(error)")
        }
        guard object.objectValue != nil else { throw LineProblem("not a JSON object") }
        return object
    }
}
