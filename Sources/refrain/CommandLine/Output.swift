import Glibc

/// Where a command writes; tests put their own functions in.
struct Output: Sendable {
    /// The command's result.
    let standard: @Sendable (String) -> Void
    /// Errors and progress.
    let error: @Sendable (String) -> Void
    /// The command's result, where it need not be text.
    let bytes: @Sendable ([UInt8]) -> Void
    /// The reader of the answers.
    let terminal: Terminal
    /// Whether `error` goes to a journal, which takes a line without priority for a mere note.
    private let isJournal: Bool

    init(
        standard: @escaping @Sendable (String) -> Void, error: @escaping @Sendable (String) -> Void,
        bytes: (@Sendable ([UInt8]) -> Void)? = nil, terminal: Terminal = .none, isJournal: Bool = false
    ) {
        self.isJournal = isJournal
        self.standard = standard
        self.error = error
        self.bytes = bytes ?? { standard(String(decoding: $0, as: UTF8.self)) }
        self.terminal = terminal
    }

    static let console = Output(
        standard: { write($0, to: STDOUT_FILENO) }, error: { write($0, to: STDERR_FILENO) },
        bytes: { bytes in bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) } }, terminal: .of(STDOUT_FILENO),
        isJournal: OperationalLog.Prefix.ofStandardError == .priority)

    /// A line of the answer.
    func line(_ text: String = "") { standard(text + "\n") }

    /// A line about what went wrong: `refrain: ...`. Line ends within are flattened, so that one
    /// problem is one line, and nothing that came out of a file can command the terminal.
    /// - Parameter level: `error` for what ends the command.
    func problem(_ text: String, _ level: LogLevel = .warn) {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }
        error((isJournal ? "<\(level.priority)>" : "") + "refrain: " + String(String.UnicodeScalarView(scalars)) + "\n")
    }

    /// All of it, unless the reader has gone: then no reader is left to be told. If the disk is
    /// full, the program ends: the reader of a cut report must not take it for the whole.
    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                guard descriptor == STDOUT_FILENO, errno != EPIPE else { return }
                write("refrain: standard output: \(FileProblem.lastError())\n", to: STDERR_FILENO)
                exit(ExitStatus.failed.rawValue)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// JSON as a proxy sent it, with a line end.
    func json(_ body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        standard(text.hasSuffix("\n") ? text : text + "\n")
    }
}
