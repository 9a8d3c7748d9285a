import Glibc
import Synchronization
import Text

/// The program's own log, on standard error: one line an event, at or above a level.
///
/// `error`: an end of the program, or a refusal, such as of a reload; `warn`: for the operator to
/// look at; `notice` and `info`: events, such as the start, a reload and the stop; `debug`: help to
/// find a fault.
final class OperationalLog: Sendable {
    /// Prefix of a line.
    enum Prefix: Sendable {
        case none
        /// Date and time: RFC 3339, UTC, milliseconds.
        case time
        /// `<N>`, the priority, for a journal that keeps the time itself (sd-daemon(3)).
        case priority
    }

    let write: @Sendable (String) -> Void
    private let prefix: Prefix
    /// The priority of the least urgent lines that are written; a reload may change it.
    private let threshold: Atomic<Int>

    init(level: LogLevel, prefix: Prefix = .none, _ write: @escaping @Sendable (String) -> Void) {
        threshold = Atomic(level.priority)
        self.prefix = prefix
        self.write = write
    }

    /// Less urgent lines are not written from now on.
    func setLevel(_ level: LogLevel) {
        threshold.store(level.priority, ordering: .relaxed)
    }

    /// Writes `refrain: LEVEL: text` when the level is wanted; line ends within are flattened.
    func callAsFunction(_ level: LogLevel, _ text: String) {
        guard level.priority <= threshold.load(ordering: .relaxed) else { return }
        let line = String(text.map { $0.isNewline ? " " : $0 })
        write(beginning(level) + "refrain: \(level.rawValue): \(line)\n")
    }

    private func beginning(_ level: LogLevel) -> String {
        switch prefix {
        case .none: return ""
        case .priority: return "<\(level.priority)>"
        case .time:
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return LogTime.rfc3339(Int64(now.tv_sec), fraction: Int64(now.tv_nsec / 1_000_000), digits: 3) + " "
        }
    }
}

extension LogLevel {
    /// The level's number in syslog(3): `error` is 3, and the others follow in their order.
    var priority: Int { 3 + (Self.allCases.firstIndex(of: self) ?? 0) }
}

extension OperationalLog.Prefix {
    /// For the file of `descriptor`: `JOURNAL_STREAM` names the journal's end by device and inode
    /// (systemd.exec(5)), so that one that was redirected since is not taken for it.
    static func suited(to descriptor: CInt, journalStream: String?) -> OperationalLog.Prefix {
        var status = stat()
        guard let journalStream, fstat(descriptor, &status) == 0 else { return .time }
        return journalStream == "\(status.st_dev):\(status.st_ino)" ? .priority : .time
    }

    static var ofStandardError: OperationalLog.Prefix {
        suited(to: STDERR_FILENO, journalStream: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }
}
