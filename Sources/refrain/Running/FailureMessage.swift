/// The words of a start that has failed, on their way to the process that goes on. Pure.
///
/// Must hold: one line of at most `mostBytes` bytes without control characters, whatever came.
struct FailureMessage: Equatable, Sendable {
    /// Room for dozens of mistakes in a configuration, and much less than a socket takes at once.
    static let mostBytes = 4096

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
}
