/// The position of an entry in the purge log: the id of an entry of a stream, `MS-SEQ`, which the
/// engine gives by its own clock and always greater than the one before (redis.io, "Streams").
struct LogPosition: Hashable, Comparable, Sendable {
    /// Unix milliseconds by the engine's clock, or of the entry before where that clock was set
    /// back.
    let milliseconds: UInt64
    /// Counts the entries of one millisecond.
    let sequence: UInt64

    init(_ milliseconds: UInt64, _ sequence: UInt64) {
        (self.milliseconds, self.sequence) = (milliseconds, sequence)
    }

    /// Before every entry. An engine never gives it to one.
    static let start = LogPosition(0, 0)

    static func < (left: LogPosition, right: LogPosition) -> Bool {
        (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
    }

    /// The least one beyond this.
    var next: LogPosition {
        let (sequence, isLast) = sequence.addingReportingOverflow(1)
        return LogPosition(isLast ? milliseconds &+ 1 : milliseconds, sequence)
    }

    /// Reads `MS-SEQ` as the engine writes it: two decimal numbers of 64 bits without zeros before
    /// them. Nil for everything else.
    init?(_ text: some Collection<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Self.number(parts[0]), let sequence = Self.number(parts[1]) else {
            return nil
        }
        self.init(milliseconds, sequence)
    }

    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        let text = String(decoding: digits, as: UTF8.self)
        return UInt64(text).flatMap { String($0) == text ? $0 : nil }
    }

    /// The engine's spelling of this position.
    var text: String { "\(milliseconds)-\(sequence)" }

    /// When it was written, by the engine's clock.
    var unixSeconds: Int64 { Int64(clamping: milliseconds / 1000) }
}
