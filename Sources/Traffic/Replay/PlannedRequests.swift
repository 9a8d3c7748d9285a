import Recording

// The requests of a run: the bytes of each distinct one, and the order of the recording as numbers.

/// The requests of a run, made before it starts: sending one allocates nothing.
struct PlannedRequests: Sendable {
    struct Entry: Sendable, Equatable {
        /// Time of arrival.
        let offset: Duration
        /// Which of `requests` it is.
        let request: Int
        /// Number of the exchange in the recording, from 0.
        let index: Int
        /// 0 if unknown.
        let status: Int
        /// Whether content was recorded, or at least its length.
        let hasContent: Bool
        /// nil: not recorded.
        let body: BodyHash?

        var isWithoutContent: Bool { status == 204 || status == 304 }
    }

    /// Only the bytes of the message: a recording may hold a million of them.
    struct Request: Sendable, Hashable {
        let bytes: [UInt8]

        var method: String { word(0) }
        var target: String { word(1) }
        var isHead: Bool { bytes.starts(with: "HEAD ".utf8) }

        private func word(_ number: Int) -> String {
            let words = bytes.split(separator: 0x20, maxSplits: 2)
            return String(decoding: words[number], as: UTF8.self)
        }
    }

    private(set) var requests = Numbered<Request>()
    /// In the order in which they came.
    private(set) var entries: [Entry] = []
    private(set) var skipped: [String: Int] = [:]
    private var count = 0
    private let added: [RecordedField]
    private let filter: ReplayFilter
    /// Whether answers are compared and need a readable coding.
    private let verifies: Bool
    /// Whether each distinct request is sent once, without fields of one client.
    private let isWarming: Bool

    init(_ plan: ReplayPlan, verifies: Bool = false) {
        let hasHost = plan.fields.contains { $0.name == "host" }
        added = (hasHost ? [] : [RecordedField("host", plan.target.authority)]) + plan.fields
        filter = plan.filter
        self.verifies = verifies
        isWarming = plan.pace.isWarming
    }

    mutating func add(_ recorded: RecordedExchange) {
        defer { count += 1 }
        let exchange = isWarming ? recorded.asEveryoneAsks : recorded
        if let reason = SkipReason(exchange, filter) {
            skipped[reason.rawValue, default: 0] += 1
            return
        }
        let request = requests.number(of: Request(bytes: message(exchange)))
        entries.append(
            Entry(
                offset: exchange.offset, request: request, index: count, status: exchange.status,
                hasContent: exchange.length != 0, body: exchange.body))
    }

    /// Sorts by arrival: lines are written when answers end.
    mutating func finish() {
        if isWarming { entries = mostWanted } else { entries.sort { ($0.offset, $0.index) < ($1.offset, $1.index) } }
        requests.forgetNumbers()
    }

    /// The most frequent requests first, so that a warming that ends early has done the most useful
    /// ones.
    private var mostWanted: [Entry] {
        var times = [Int](repeating: 0, count: requests.count)
        for entry in entries { times[entry.request] += 1 }
        return (0..<requests.count).sorted { (times[$1], $0) < (times[$0], $1) }.map {
            Entry(offset: .zero, request: $0, index: $0, status: 0, hasContent: false, body: nil)
        }
    }

    /// The reader of the recording has checked that no name, value or target can end a line.
    private func message(_ exchange: RecordedExchange) -> [UInt8] {
        var text = "\(exchange.method) \(exchange.target) HTTP/1.1\r\n"
        let recorded = exchange.requestFields.filter { field in
            // Without content it would describe nothing.
            field.name != "content-type" && !added.contains { $0.name == field.name }
        }
        for field in added { text += "\(field.name): \(field.value)\r\n" }
        for field in recorded {
            let isCoding = verifies && field.name == "accept-encoding"
            text += "\(field.name): \(isCoding ? Self.readable(field.value) : field.value)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    /// The codings of a client that can be decoded for comparison.
    static func readable(_ acceptEncoding: String) -> String {
        let elements = acceptEncoding.split(separator: ",")
        let isReadable = { (element: Substring) in
            let name = element.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
            return ["gzip", "x-gzip", "identity"].contains(name)
        }
        let kept = elements.filter(isReadable)
        guard kept.count < elements.count else { return acceptEncoding }
        return kept.isEmpty ? "identity" : kept.map { $0.drop { $0 == " " } }.joined(separator: ", ")
    }
}

extension RecordedExchange {
    /// Fields that change the answer for one client alone or make a cache ignore its stored answer.
    private static let ofOneClient: Set<String> = [
        "cache-control", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "range",
    ]

    /// The same without fields of one client. A recording made by hand may hold requests of one
    /// user without saying so.
    fileprivate var asEveryoneAsks: RecordedExchange {
        var exchange = self
        exchange.isPersonal = withoutPersonalParts(tellsWhoAsks: false)?.isPersonal ?? true
        exchange.requestFields.removeAll { Self.ofOneClient.contains($0.name) }
        return exchange
    }
}
