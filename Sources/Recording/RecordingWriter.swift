// Writes a recording: lines to `FILE`, bodies next to it, in batches.
// Must hold: a body is in its file before a line names it; a batch of lines is one system call, so
// a killed process leaves whole lines; a batch that the disk refuses is cut off again, and its
// exchanges are counted in the next line that can be written.

import EventLoop
import Glibc
import Text

/// Confined to its owner.
public final class RecordingWriter {
    private let settings: RecordingSettings
    private let header: RecordingHeader
    /// nil: they could not be made; the next batch tries again.
    private var files: Files?
    private var batch = Batch()
    /// Exchanges left out that no line has reported yet.
    private var unreported = 0
    /// Exchanges and bytes written to all files.
    public private(set) var exchanges = 0
    public private(set) var bytes = 0
    /// Exchanges that could not be written.
    public private(set) var lost = 0
    /// Error of the last batch; nil if it was written.
    public private(set) var failure: RecordingError?

    private struct Files {
        let lines: AppendedFile
        let bodies: AppendedFile
        var exchanges = 0
        /// First halves of the hashes in `bodies`: there may be a million.
        var held: Set<UInt128> = []

        var bytes: Int { lines.count + bodies.count }
    }

    /// Bytes for the files that are written next.
    private struct Batch {
        var lines: [UInt8] = []
        var bodies: [UInt8] = []
        var exchanges = 0
        var held: [UInt128] = []

        var bytes: Int { lines.count + bodies.count }
    }

    private static let batchBytes = 1 << 20

    /// Begins a recording; moves older ones of the same name up.
    /// - Parameter header: also of the recordings that follow this one at its size limit; offsets
    ///   go on.
    /// - Throws: as `check`. A disk that refuses writes now sets `failure`; the next batch makes
    ///   the files.
    public init(_ settings: RecordingSettings, header: RecordingHeader) throws(RecordingError) {
        (self.settings, self.header) = (settings, header)
        try Self.check(settings)
        _ = begun()
    }

    /// Throws if a recording could not begin; changes nothing.
    public static func check(
        _ settings: RecordingSettings, _ trust: FileTrust = .ofThisProcess
    ) throws(RecordingError) {
        try RecordingFiles.check(settings, trust)
    }

    /// Adds an exchange to the batch.
    /// - Parameter content: the body that `exchange` names; called if the file does not have it.
    public func append(_ exchange: RecordedExchange, content: () -> [UInt8]) {
        guard files != nil else { return lose(1) }
        let line = exchange.line
        var body = newBody(of: exchange, content)
        if let files, files.exchanges + batch.exchanges > 0,
            files.bytes + batch.bytes + line.count + body.count > settings.mostBytes
        {
            flush()
            guard begun() else { return lose(1) }
            body = newBody(of: exchange, content)
        }
        if let hash = exchange.body, !body.isEmpty {
            files?.held.insert(hash.half)
            batch.held.append(hash.half)
            batch.bodies += body
        }
        batch.lines += line
        batch.exchanges += 1
        if batch.bytes >= Self.batchBytes { flush() }
    }

    /// Notes that exchanges were left out here.
    public func append(dropped count: Int) {
        unreported += count
    }

    /// Writes the batch.
    public func flush() {
        guard batch.exchanges > 0 || unreported > 0 else { return }
        guard files != nil || begun(), let files else { return }
        let reported = unreported
        let lines = reported > 0 ? Self.line(dropped: reported) + batch.lines : batch.lines
        let bodiesBefore = files.bodies.count
        do throws(RecordingError) {
            try files.bodies.append(batch.bodies)
            try files.lines.append(lines)
            self.files?.exchanges += batch.exchanges
            exchanges += batch.exchanges
            bytes += lines.count + batch.bodies.count
            unreported -= reported
            failure = nil
        } catch {
            files.bodies.cut(to: bodiesBefore)
            self.files?.held.subtract(batch.held)
            failure = error
            lose(batch.exchanges)
        }
        batch = Batch()
    }

    /// Begins a new file if the old one was moved away; the current batch goes to the old one.
    /// - Returns: whether it was moved.
    public func reopen() throws(RecordingError) -> Bool {
        flush()
        guard files?.lines.isInPlace != true else { return false }
        try begin()
        return true
    }

    private func lose(_ count: Int) {
        lost += count
        unreported += count
    }

    private func begun() -> Bool {
        do throws(RecordingError) {
            try begin()
            return true
        } catch {
            files = nil
            failure = error
            return false
        }
    }

    private func begin() throws(RecordingError) {
        try RecordingFiles.makeRoom(settings)
        let bodies = RecordedBodies.path(beside: settings.path)
        let new = Files(lines: try AppendedFile(making: settings.path), bodies: try AppendedFile(making: bodies))
        try new.lines.append(header.line)
        bytes += new.lines.count
        files = new
    }

    /// The record of a body that the file does not have yet; otherwise empty.
    private func newBody(of exchange: RecordedExchange, _ content: () -> [UInt8]) -> [UInt8] {
        guard let hash = exchange.body, files?.held.contains(hash.half) == false else { return [] }
        return RecordedBodies.record(hash, content())
    }

    private static func line(dropped count: Int) -> [UInt8] {
        JSON.object(members: ["dropped": .integer(count), "time": .string(Timestamp.now().text)]).bytes + [0x0A]
    }
}

extension BodyHash {
    /// The first 128 bits.
    fileprivate var half: UInt128 { bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) } }
}
