import Recording
import Text

/// A recording as what-if runs need it: what clients asked for and when, and what the origin had to
/// say.
///
/// Used by one run at a time.
public final class RecordedTraffic {
    /// What a client sends.
    struct Request {
        /// Since the first request.
        let due: Duration
        let method: String
        let target: String
        let fields: [RecordedField]
    }

    /// In the order in which they are due.
    let requests: [Request]
    let origin: RecordedOrigin
    /// The time of day of the first request.
    let started: Timestamp
    /// The share of the traffic that was recorded: figures are of that share.
    let sampling: Double
    /// Requests that the recording proxy refused before it thought of the origin, for want of a
    /// client key for one, and those with methods that cannot be sent: they are left out.
    let leftOut: Int

    /// From the first request to the last.
    var duration: Duration { requests.last?.due ?? .zero }
    public var count: Int { requests.count }

    /// Reads what is left of a recording.
    public convenience init(_ reader: RecordingReader) throws(RecordingError) {
        let exchanges = try reader.rest()
        guard !exchanges.isEmpty else { throw .empty(path: reader.path) }
        self.init(exchanges, sampling: reader.header.sampling, bodies: reader.bodies)
    }

    init(_ exchanges: [RecordedExchange], sampling: Double = 1, bodies: RecordedBodies) {
        // Lines stand in the order of the answers.
        let order = exchanges.indices.sorted { (exchanges[$0].offset, $0) < (exchanges[$1].offset, $1) }
        let first = order.first.map { exchanges[$0] }
        let start = first?.offset ?? .zero
        let origin = RecordedOrigin(bodies)
        var requests: [Request] = []
        for exchange in order.lazy.map({ exchanges[$0] }) where Self.canBeSent(exchange) {
            let due = exchange.offset - start
            let target = origin.learn(exchange, at: due)
            requests.append(
                Request(due: due, method: exchange.method, target: target, fields: Self.fields(exchange)))
        }
        origin.finish()
        self.requests = requests
        self.origin = origin
        self.sampling = sampling
        started = first?.time ?? Timestamp(microseconds: 0)
        leftOut = exchanges.count - requests.count
    }

    private static func canBeSent(_ exchange: RecordedExchange) -> Bool {
        exchange.outcome != "refused" && !["TRACE", "CONNECT"].contains(exchange.method)
    }

    /// Those that can change an answer: a recording may come from anywhere, and hold more.
    private static func fields(_ exchange: RecordedExchange) -> [RecordedField] {
        exchange.requestFields.filter { RecordedFields.ofRequests.contains($0.name) }
    }
}
