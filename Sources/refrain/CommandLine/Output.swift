import Glibc

/// The streams that a command writes to; tests put their own functions in.
struct Output: Sendable {
    /// The command's result.
    let standard: @Sendable (String) -> Void
    /// Errors and progress.
    let error: @Sendable (String) -> Void
    /// The command's result, where it need not be text.
    let bytes: @Sendable ([UInt8]) -> Void
    /// See `terminalWidth`, of the reader of the answers.
    let width: Int?
    /// Whether `error` goes to a journal, which takes a line without priority for a mere note.
    private let isJournal: Bool

    init(
        standard: @escaping @Sendable (String) -> Void, error: @escaping @Sendable (String) -> Void,
        bytes: (@Sendable ([UInt8]) -> Void)? = nil, width: Int? = nil, isJournal: Bool = false
    ) {
        self.isJournal = isJournal
        self.standard = standard
        self.error = error
        self.bytes = bytes ?? { standard(String(decoding: $0, as: UTF8.self)) }
        self.width = width
    }

    static let console = Output(
        standard: { write(Array($0.utf8), to: STDOUT_FILENO) }, error: { write(Array($0.utf8), to: STDERR_FILENO) },
        bytes: { write($0, to: STDOUT_FILENO) }, width: terminalWidth(STDOUT_FILENO),
        isJournal: OperationalLog.Prefix.ofStandardError == .priority)

    /// A line of the answer.
    func line(_ text: String = "") { standard(text + "\n") }

    /// A line about a problem: `refrain: ...`, flattened.
    /// - Parameter level: `error` for a problem that ends the command.
    func problem(_ text: String, _ level: LogLevel = .warn) {
        error((isJournal ? "<\(level.priority)>" : "") + "refrain: " + text.onOneLine + "\n")
    }

    /// Writes everything, unless the reader has gone: then no reader is left to be told. If the
    /// disk is full, the program ends: the reader of a cut report must not take it for the whole.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        do throws(FileProblem) {
            try FileAccess.writeAll(bytes, to: descriptor)
        } catch {
            guard descriptor == STDOUT_FILENO, error.code != EPIPE else { return }
            write(Array("refrain: standard output: \(error)\n".utf8), to: STDERR_FILENO)
            exit(ExitStatus.failed.rawValue)
        }
    }

    /// JSON as a proxy sent it, with a line end.
    func json(_ body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        standard(text.hasSuffix("\n") ? text : text + "\n")
    }
}
