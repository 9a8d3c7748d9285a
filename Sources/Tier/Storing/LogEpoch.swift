import Text

/// The life of the purge log: a number drawn at random when a log begins, and anew when the engine
/// was emptied or another took its place. Ids of different lives say nothing about each other.
struct LogEpoch: Hashable, Sendable {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// An epoch that was never used before, as far as 64 random bits can tell.
    static func random() -> LogEpoch { LogEpoch(number: .random(in: .min ... .max)) }

    /// Reads what `text` writes, and nothing else.
    init?(_ text: some Collection<UInt8>) {
        let text = String(decoding: text, as: UTF8.self)
        guard let number = UInt64(text, radix: 16) else { return nil }
        self.number = number
        guard self.text == text else { return nil }
    }

    /// Sixteen hexadecimal digits, in lower case.
    var text: String { Hexadecimal.text(withUnsafeBytes(of: number.bigEndian) { Array($0) }) }
}

/// A place in the purge log, and in which life of it.
///
/// A node keeps one on its disk (all purges up to there are done). The *log mark* of a value is the
/// node's position when the value's fetch began. The value may be from before any purge beyond the
/// log mark, and is from after all others.
struct LogMark: Hashable, Sendable {
    let epoch: LogEpoch
    let position: LogPosition

    init(_ epoch: LogEpoch, _ position: LogPosition) {
        (self.epoch, self.position) = (epoch, position)
    }

    /// Reads what `text` writes, and nothing else.
    init?(_ text: some Collection<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = LogEpoch(parts[0]), let position = LogPosition(parts[1]) else { return nil }
        self.init(epoch, position)
    }

    /// `EPOCH:MS-SEQ`, on disks and in the list of nodes.
    var text: String { "\(epoch.text):\(position.text)" }
}
