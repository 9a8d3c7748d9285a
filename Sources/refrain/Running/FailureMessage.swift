/// The words of a start that has failed, on their way to the process that goes on. Pure.
///
/// Must hold: one line of at most `mostBytes` bytes without control characters, whatever came.
struct FailureMessage: Equatable, Sendable {
    /// Room for dozens of mistakes in a configuration, and much less than a socket takes at once.
    static let mostBytes = 4096
    /// The length in front of the words on the channel.
    static let headBytes = 2

    let text: String

    /// - Parameter messages: as the failed start has said them on standard error, one line each.
    init(_ messages: [String]) {
        self.init(messages.joined(separator: "; "))
    }

    /// - Parameter bytes: as they came, without their head; another program may have sent them.
    init(received bytes: some Sequence<UInt8>) {
        self.init(String(decoding: Array(bytes), as: UTF8.self))
    }

    private init(_ text: String) {
        self.text = text.onOneLine.cut(toBytes: Self.mostBytes)
    }

    /// The words with their length in front, its high byte first.
    var bytes: [UInt8] {
        let words = Array(text.utf8)
        return [UInt8(words.count >> 8), UInt8(words.count & 0xFF)] + words
    }

    /// How many bytes of words follow this head; nil where it is cut, or has too large a number.
    static func count(head: [UInt8]) -> Int? {
        guard head.count == headBytes else { return nil }
        let count = Int(head[0]) << 8 | Int(head[1])
        return count <= mostBytes ? count : nil
    }
}
