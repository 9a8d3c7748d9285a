import Text

// The requests of a run that failed, and their failures.

/// A request that got no answer, or one that reports an error.
struct FailedRequest: Sendable, Equatable {
    enum Failure: Sendable, Equatable {
        /// No whole answer, such as `timed out`.
        case unanswered(String)
        case status(Int)
    }

    /// Number of the request in the recording, from 0; in a warming its place in the order of
    /// sending.
    let index: Int
    let method: String
    let target: String
    let failure: Failure
    /// 0 if unknown.
    let recordedStatus: Int
    /// When the request was due, since the start of the run; in a closed loop when it was sent.
    let due: Duration
    /// From then until it failed.
    let waited: Duration

    /// Whether an answer with this status is listed: every 429 and 5xx, and another 4xx where the
    /// recording has another status.
    static func isListed(status: Int, recorded: Int) -> Bool {
        switch status {
        case 429, 500...: true
        case 400...: status != recorded
        default: false
        }
    }

    /// A sentence such as `timed out after 1.02 s` or `503 after 12.1 ms, recorded 200`.
    var sentence: String {
        let time = Figure.time(nanoseconds: Int(clamping: waited.wholeNanoseconds))
        switch failure {
        case .unanswered(let reason): return "\(reason) after \(time)"
        case .status(let status):
            let recorded = recordedStatus > 0 && recordedStatus != status ? ", recorded \(recordedStatus)" : ""
            return "\(status) after \(time)\(recorded)"
        }
    }

    /// The failure as an object, for reports and as a line of `--failed`.
    var json: JSON {
        var object = JSONObject([
            "index": .integer(index), "method": .string(method), "target": .string(target),
        ])
        switch failure {
        case .unanswered(let reason): object.append("error", .string(reason))
        case .status(let status): object.append("status", .integer(status))
        }
        if recordedStatus > 0 { object.append("recorded_status", .integer(recordedStatus)) }
        object.append("due_seconds", .number(due.decimalSeconds))
        object.append("seconds", .number(waited.decimalSeconds))
        return .object(object)
    }

    init(
        index: Int, method: String, target: String, failure: Failure, recordedStatus: Int, due: Duration,
        waited: Duration
    ) {
        (self.index, self.method, self.target, self.failure) = (index, method, target, failure)
        (self.recordedStatus, self.due, self.waited) = (recordedStatus, due, waited)
    }

    fileprivate init(_ members: ResultMembers) throws(ReplayResultError) {
        let failure: Failure =
            members.has("status")
            ? .status(try members.count("status")) : .unanswered(try members.text("error"))
        self.init(
            index: try members.count("index"), method: try members.text("method"), target: try members.text("target"),
            failure: failure, recordedStatus: try members.optional("recorded_status", members.count) ?? 0,
            due: try members.seconds("due_seconds"), waited: try members.seconds("seconds"))
    }
}

/// The requests of a run that failed: their number, and the first of them.
struct FailedRequests: Sendable, Equatable {
    private(set) var count = 0
    private(set) var listed: [FailedRequest] = []

    /// The most that reports list; `--failed` has all.
    static let mostListed = 10

    /// Whether further ones are only counted.
    var isFull: Bool { listed.count == Self.mostListed }

    /// - Parameter request: may be nil once the list is full.
    mutating func note(_ request: FailedRequest?) {
        count += 1
        if let request, !isFull { listed.append(request) }
    }

    var json: JSON { .object(members: ["count": .integer(count), "listed": .array(listed.map(\.json))]) }

    init() {}

    init(_ members: ResultMembers) throws(ReplayResultError) {
        count = try members.count("count")
        for (name, value) in try members.elements("listed") {
            listed.append(try FailedRequest(ResultMembers(value, name)))
        }
        guard count >= listed.count else { throw members.problem("count", "at least how many are listed") }
    }

    /// Nil where none failed.
    var sentence: String? {
        guard count > 0 else { return nil }
        let words = count == 1 ? "1 request" : "\(Figure.count(count)) requests"
        return "\(words) failed or got an error" + (count > listed.count ? "; the first \(listed.count)" : "")
    }
}
