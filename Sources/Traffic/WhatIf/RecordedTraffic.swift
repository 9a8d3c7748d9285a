import HTTP
import Recording
import Text

/// A recording for what-if runs: requests of clients with their times, and the origin's answers.
///
/// Holds each distinct request once, and 16 bytes for each exchange: recordings have millions of
/// lines. Used by one run at a time.
public final class RecordedTraffic {
    private struct Entry {
        /// In nanoseconds, as in the recording.
        let offset: Int64
        /// The message's number in `messages`.
        let message: Int32
        /// The number in the target of a personal exchange; -1 for others.
        let personal: Int32
    }

    private struct Message: Hashable {
        let method: String
        let target: String
        /// The head's number in `heads`.
        let head: Int
    }

    /// In the order in which they are due.
    private var entries: [Entry] = []
    private var messages = Numbered<Message>()
    /// The lines after the request line: clients send few different ones.
    private var heads = Numbered<String>()
    let origin: RecordedOrigin
    /// The time of day of the first request.
    private(set) var started = Timestamp(microseconds: 0)
    /// The share of the traffic that was recorded: figures are of that share.
    let sampling: Double
    /// Number of requests left out: the recording proxy refused them before contacting the origin
    /// (no client key, for example), or their method cannot be sent.
    private(set) var leftOut = 0

    /// From the first request to the last.
    var duration: Duration { entries.isEmpty ? .zero : due(entries.count - 1) }
    public var count: Int { entries.count }

    /// Reads the rest of a recording.
    /// - Parameter watch: called while reading.
    public init(
        _ reader: RecordingReader, watch: (RecordingReader.Progress) -> Void = { _ in }
    ) throws(RecordingError) {
        (sampling, origin) = (reader.header.sampling, RecordedOrigin(reader.bodies))
        try reader.forEach(watch: watch, add)
        guard !entries.isEmpty || leftOut > 0 else { throw .empty(path: reader.path) }
        finish()
    }

    init(_ exchanges: [RecordedExchange], bodies: RecordedBodies) {
        (sampling, origin) = (1, RecordedOrigin(bodies))
        for exchange in exchanges { add(exchange) }
        finish()
    }

    private func add(_ exchange: RecordedExchange) {
        guard Self.canBeSent(exchange) else {
            leftOut += 1
            return
        }
        let personal = origin.learn(exchange)
        let offset = exchange.offset.wholeNanoseconds
        if entries.isEmpty || offset < first { (first, started) = (offset, exchange.time) }
        let head = heads.number(of: Self.fields(exchange))
        let message = messages.number(of: Message(method: exchange.method, target: exchange.target, head: head))
        entries.append(Entry(offset: offset, message: Int32(message), personal: Int32(personal ?? -1)))
    }

    /// The smallest offset.
    private var first: Int64 = 0

    /// Lines come in the order of the answers; the sort is stable.
    private func finish() {
        entries.sort { $0.offset < $1.offset }
        messages.forgetNumbers()
        heads.forgetNumbers()
        origin.finish(startingAt: .nanoseconds(first))
    }

    private static func canBeSent(_ exchange: RecordedExchange) -> Bool {
        exchange.outcome != "refused" && !["TRACE", "CONNECT"].contains(exchange.method)
    }

    /// The fields that can change an answer; a recording from elsewhere may hold more.
    private static func fields(_ exchange: RecordedExchange) -> String {
        exchange.requestFields.filter { RecordedFields.ofRequests.contains($0.name) }
            .reduce(into: "") { $0 += $1.name + ": " + $1.value + "\r\n" }
    }

    /// Since the first request.
    func due(_ index: Int) -> Duration { .nanoseconds(entries[index].offset - first) }

    func request(_ index: Int) -> (method: Method, head: [UInt8]) {
        let entry = entries[index]
        let message = messages[Int(entry.message)]
        let target = entry.personal < 0 ? message.target : RecordedOrigin.personalTarget(Int(entry.personal))
        var head = "\(message.method) \(target) HTTP/1.1\r\nHost: what-if\r\n" + heads[message.head]
        let method = Method.allCases.first { $0.text.description == message.method } ?? .other
        if !method.isSafe { head += "Content-Length: 0\r\n" }
        return (method, Array((head + "\r\n").utf8))
    }
}
