import Glibc

/// The program's own log, on standard error: one line an event, at or above a level.
struct OperationalLog: Sendable {
    let level: LogLevel
    let write: @Sendable (String) -> Void

    init(level: LogLevel, _ write: @escaping @Sendable (String) -> Void) {
        self.level = level
        self.write = write
    }

    /// Writes `refrain: LEVEL: text` when the level is wanted; line ends within are flattened.
    func callAsFunction(_ level: LogLevel, _ text: String) {
        guard Self.rank(level) <= Self.rank(self.level) else { return }
        let line = String(text.map { $0.isNewline ? " " : $0 })
        write("refrain: \(level.rawValue): \(line)\n")
    }

    private static func rank(_ level: LogLevel) -> Int {
        LogLevel.allCases.firstIndex(of: level) ?? 0
    }
}
