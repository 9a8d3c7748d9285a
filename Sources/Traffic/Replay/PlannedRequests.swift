import EventLoop
import Recording

// The requests of a run: the messages, each distinct one once, and the order of the recording as
// numbers.
//
// Must hold: a plan of any length takes a bounded part of memory, but for a warming, which holds
// each distinct message; the rest of it is in temporary files. The files hold nothing that the
// recording does not hold: the fields of `--header-file`, which may be secrets, are added when a
// request is sent.

/// A request of a plan, as it is sent.
struct PlannedRequest: Sendable {
    /// Number of the exchange in the recording, from 0.
    let index: Int
    /// 0 if unknown.
    let recordedStatus: Int
    /// Whether the recorded answer had content, or may have had some.
    let hadContent: Bool
    /// The hash of the recorded content; nil: not recorded.
    let body: BodyHash?
    let message: [UInt8]

    var method: String { word(0) }
    var target: String { word(1) }
    var isHead: Bool { message.starts(with: "HEAD ".utf8) }

    private func word(_ number: Int) -> String {
        let words = message.split(separator: 0x20, maxSplits: 2)
        return String(decoding: words[number], as: UTF8.self)
    }
}

/// The requests of a run, made before it starts.
///
/// Confined to its owner.
final class PlannedRequests {
    let entries: PlannedEntries
    private let messages: Spool
    /// The places of distinct messages, while the recording is read.
    private var places: [[UInt8]: Range<Int>] = [:]
    private var placedBytes = 0
    private var wanted: [(message: Range<Int>, times: Int)] = []
    private var wantedNumbers: [Range<Int>: Int] = [:]
    private(set) var skipped: [String: Int] = [:]
    /// Why the plan could not be written or read.
    private(set) var problem: SystemError?
    private var count = 0
    private let added: [RecordedField]
    private let addedLines: [UInt8]
    private let filter: ReplayFilter
    /// Whether answers are compared and need a readable coding.
    private let verifies: Bool
    /// Whether each distinct request is sent once, without fields of one client.
    private let isWarming: Bool
    /// `mostPlaced`, but for tests.
    private let mostInMemory: Int

    /// Bytes of distinct messages that are recognised when they come again, and bytes that need no
    /// file. A warming recognises all.
    private static let mostPlaced = 16 << 20

    init(
        _ plan: ReplayPlan, verifies: Bool = false, entries: PlannedEntries? = nil, mostInMemory: Int = mostPlaced
    ) {
        let hasHost = plan.fields.contains { $0.name == "host" }
        added = (hasHost ? [] : [RecordedField("host", plan.target.authority)]) + plan.fields
        addedLines = Array(added.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
        filter = plan.filter
        self.verifies = verifies
        isWarming = plan.pace.isWarming
        self.entries = entries ?? PlannedEntries(keepsBodies: verifies)
        messages = Spool(most: mostInMemory)
        self.mostInMemory = mostInMemory
    }

    /// Adds nothing once there is a problem.
    func add(_ recorded: RecordedExchange) {
        defer { count += 1 }
        guard problem == nil else { return }
        let exchange = isWarming ? recorded.asEveryoneAsks : recorded
        if let reason = SkipReason(exchange, filter) {
            skipped[reason.rawValue, default: 0] += 1
            return
        }
        attempt { () throws(SystemError) in
            let message = try place(of: bytes(exchange))
            if isWarming { return want(message) }
            try entries.append(
                PlannedEntries.Entry(
                    offset: exchange.offset.wholeNanoseconds, message: message, index: count, status: exchange.status,
                    hasContent: exchange.length != 0, body: exchange.body))
        }
    }

    /// Sorts by arrival: lines are written when answers end.
    func finish() {
        attempt { () throws(SystemError) in
            for (number, message) in mostWanted.enumerated() {
                try entries.append(
                    PlannedEntries.Entry(
                        offset: Int64(number), message: message, index: number, status: 0, hasContent: false, body: nil)
                )
            }
            try entries.finish()
        }
        (places, wanted, wantedNumbers) = ([:], [], [:])
    }

    /// The request at a position of the plan; nil where it cannot be read, which is a `problem`.
    func request(_ position: Int) -> PlannedRequest? {
        attempt { () throws(SystemError) in
            let entry = try entries.entry(position)
            let recorded = try messages.read(at: entry.message.lowerBound, count: entry.message.count)
            let line = (recorded.firstIndex(of: 0x0A) ?? recorded.count - 1) + 1
            return PlannedRequest(
                index: entry.index, recordedStatus: entry.status,
                hadContent: entry.hasContent && !entry.isWithoutContent, body: entry.body,
                message: recorded[..<line] + addedLines + recorded[line...])
        }
    }

    /// When the request at a position came, in nanoseconds since the recording began; never, where
    /// the plan cannot be read.
    func offset(_ position: Int) -> Int64 {
        attempt { () throws(SystemError) in try entries.entry(position).offset } ?? .max
    }

    @discardableResult
    private func attempt<Value>(_ body: () throws(SystemError) -> Value) -> Value? {
        do throws(SystemError) {
            return try body()
        } catch {
            problem = problem ?? error
            return nil
        }
    }

    private func place(of message: [UInt8]) throws(SystemError) -> Range<Int> {
        if let known = places[message] { return known }
        let start = try messages.append(message)
        let place = start..<start + message.count
        if isWarming || placedBytes + message.count <= mostInMemory {
            places[message] = place
            placedBytes += message.count
        }
        return place
    }

    private func want(_ message: Range<Int>) {
        if let number = wantedNumbers[message] {
            wanted[number].times += 1
        } else {
            wantedNumbers[message] = wanted.count
            wanted.append((message, 1))
        }
    }

    /// The most frequent requests first, so that a warming that ends early has done the most useful
    /// ones.
    private var mostWanted: [Range<Int>] {
        wanted.sorted { ($1.times, $0.message.lowerBound) < ($0.times, $1.message.lowerBound) }.map(\.message)
    }

    /// A request without the fields of the run. The reader of the recording has checked that no
    /// name, value or target can end a line.
    private func bytes(_ exchange: RecordedExchange) -> [UInt8] {
        var text = "\(exchange.method) \(exchange.target) HTTP/1.1\r\n"
        let recorded = exchange.requestFields.filter { field in
            // Without content it would describe nothing.
            field.name != "content-type" && !added.contains { $0.name == field.name }
        }
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

    /// The exchange without fields of one client. A recording made by hand may hold requests of one
    /// user without saying so.
    fileprivate var asEveryoneAsks: RecordedExchange {
        var exchange = self
        exchange.isPersonal = withoutPersonalParts(tellsWhoAsks: false)?.isPersonal ?? true
        exchange.requestFields.removeAll { Self.ofOneClient.contains($0.name) }
        return exchange
    }
}
