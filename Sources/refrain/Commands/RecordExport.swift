import Glibc
import Recording

// `record export`: a recording as another format.
// Must hold: the recording is never held as a whole, and a reader of OUT sees no file, the one that
// was there before, or the whole new one.

enum RecordExport {
    /// The first word of the command.
    static let word = "export"
    static let har = CommandOption(
        "har", "OUT", "with export: write HAR 1.2 to this file, or to standard output (-)")
    static let force = CommandOption("force", "with export: replace OUT if it exists")

    /// - Parameter words: those after `export`.
    static func run(
        _ words: ArraySlice<String>, _ arguments: CommandArguments, _ output: Output
    ) throws(CommandFailure) -> ExitStatus {
        guard let path = words.first, words.count == 1 else {
            throw .usage("record: export needs one recording (refrain record export FILE --har OUT)")
        }
        guard let target = arguments.value(har) else {
            throw .usage(
                "record: export needs --har OUT; HAR is the only format (refrain record export FILE --har OUT)")
        }
        let reader: RecordingReader
        do {
            reader = try RecordingReader(path: path)
        } catch {
            throw .failed("\(error)")
        }
        let own = [reader.path, RecordedBodies.path(beside: reader.path)]
        guard target == "-" || !own.contains(where: { FileAccess.isSame($0, target) }) else {
            throw .failed("\(target) is the recording itself; export it to another file")
        }
        let file = target == "-" ? nil : try NewFile(target, replaces: arguments.has(force))
        var bytes = 0
        let count = try write(reader) { piece throws(CommandFailure) in
            bytes += piece.count
            if let file { try file.write(piece) } else { output.bytes(piece) }
        }
        try file?.publish()
        for warning in reader.warnings + warnings(target, bytes) { output.error("refrain: warn: \(warning)\n") }
        if target != "-" { output.line("\(target): \(count) exchanges") }
        return .done
    }

    /// Warnings about a file of that size.
    static func warnings(_ target: String, _ bytes: Int) -> [String] {
        guard bytes > HARWriter.mostReadable else { return [] }
        let most = HARWriter.mostReadable >> 20
        return ["\(target): \(bytes) bytes; browsers may open it, but refrain reads HAR of at most \(most) MiB"]
    }

    private static let pieceBytes = 1 << 16

    /// How many exchanges there were.
    private static func write(
        _ reader: RecordingReader, _ put: ([UInt8]) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> Int {
        var writer = HARWriter()
        var piece = writer.beginning(of: reader.header, version: ProgramVersion.text)
        var count = 0
        do {
            while let exchange = try reader.next() {
                let body = try exchange.body.flatMap { hash throws(RecordingError) in
                    try reader.bodies.identity(of: hash)
                }
                piece += writer.entry(exchange, body: body)
                count += 1
                guard piece.count >= pieceBytes else { continue }
                try put(piece)
                piece.removeAll(keepingCapacity: true)
            }
        } catch let error as RecordingError {
            throw .failed("\(error)")
        } catch {
            throw error as? CommandFailure ?? .failed("\(error)")
        }
        try put(piece + HARWriter.end)
        return count
    }
}

/// A file that gets its name when it is whole; without that it is gone.
private final class NewFile {
    private let path: String
    private let replaces: Bool
    private let unfinished: String
    private let descriptor: CInt
    private var isPublished = false

    init(_ path: String, replaces: Bool) throws(CommandFailure) {
        self.path = path
        self.replaces = replaces
        unfinished = path + ".unfinished-\(getpid())"
        try Self.check(path, replaces)
        descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed("\(path): \(FileProblem.lastError())") }
    }

    deinit {
        close(descriptor)
        if !isPublished { unlink(unfinished) }
    }

    private static func check(_ path: String, _ replaces: Bool) throws(CommandFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .failed("\(path) exists and is not a regular file") }
        guard replaces else { throw .failed("\(path) exists (--force replaces it)") }
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        try attempt(path) { try FileAccess.writeAll(bytes, to: descriptor) }
    }

    func publish() throws(CommandFailure) {
        try Self.check(path, replaces)
        guard fsync(descriptor) == 0, rename(unfinished, path) == 0 else {
            throw .failed("\(path): \(FileProblem.lastError())")
        }
        isPublished = true
    }
}
