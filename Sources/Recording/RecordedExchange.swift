import AppleMusic
import Text

// One request and its answer, as a recording holds them.
// Must hold: no recorded field can name a person or a secret: `RecordedFields` is an allow-list.

/// A request and its answer.
public struct RecordedExchange: Sendable, Equatable {
    /// Arrival of the request, by the wall clock.
    public var time: Timestamp
    /// The monotonic time, since the recording began. Replays use it: steps of the wall clock do
    /// not change it.
    public var offset: Duration
    public var method: String
    /// Path and query as the client wrote them; for a personal request its route alone.
    public var target: String
    /// The client's protocol, where it was not HTTP/1: `HTTP/2`.
    public var protocolName: String?
    public var requestFields: [RecordedField] = []
    /// 0 without an answer, as in HAR.
    public var status: Int
    public var fields: [RecordedField] = []
    /// From the arrival of the request until its answer was handed to the kernel.
    public var latency: Duration
    /// Latency of the origin; nil if it was not asked or is unknown.
    public var upstreamLatency: Duration?
    /// A word of the access log; nil if unknown.
    public var outcome: String?
    public var reason: String?
    /// Bytes of content; nil if unknown.
    public var length: Int?
    /// nil: not recorded.
    public var body: BodyHash?
    /// Whether it belongs to one user: then there is no body, and the target is a route.
    public var isPersonal = false

    public init(
        time: Timestamp, offset: Duration, method: String, target: String, status: Int, latency: Duration, length: Int?
    ) {
        (self.time, self.offset, self.method, self.target) = (time, offset, method, target)
        (self.status, self.latency, self.length) = (status, latency, length)
    }

    /// Whether the answer had or may have had content that is not in the recording.
    public var lacksContent: Bool { body == nil && length != 0 }

    /// The value of the first field of the answer with this name, in lower case.
    public func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

// An exchange as a line of JSON. Unknown members are ignored, so later versions may add some.

extension RecordedExchange {
    /// The exchange as one line with its end.
    var line: [UInt8] {
        var object = JSONObject([
            "time": .string(time.text), "offset": .number(offset.decimalSeconds), "method": .string(method),
            "target": .string(target),
        ])
        if let protocolName { object.append("protocol", .string(protocolName)) }
        if isPersonal { object.append("personal", true) }
        if !requestFields.isEmpty { object.append("request_headers", Self.object(requestFields)) }
        object.append("status", .integer(status))
        if !fields.isEmpty { object.append("headers", Self.object(fields)) }
        object.append("seconds", .number(latency.decimalSeconds))
        if let upstreamLatency { object.append("upstream_seconds", .number(upstreamLatency.decimalSeconds)) }
        if let outcome { object.append("outcome", .string(outcome)) }
        if let reason { object.append("reason", .string(reason)) }
        if let length { object.append("bytes", .integer(length)) }
        if let body { object.append("body", .string(body.description)) }
        return JSON.object(object).bytes + [0x0A]
    }

    private static func object(_ fields: [RecordedField]) -> JSON {
        .object(JSONObject(members: fields.map { JSONObject.Member(key: $0.name, value: .string($0.value)) }))
    }

    init(_ object: JSON) throws(LineProblem) {
        guard let time = object["time"]?.stringValue.flatMap(Timestamp.init(_:)) else {
            let isThere = object["time"].map { $0 != .null } ?? false
            throw LineProblem(isThere ? "time is not a time such as 2026-11-21T00:00:00Z" : "time is missing")
        }
        let offset = try Self.seconds(object, "offset")
        guard let method = object["method"]?.stringValue, RecordedField.isName(method) else {
            throw LineProblem("method is not a method such as GET")
        }
        guard let target = object["target"]?.stringValue, RecordedTarget.isTarget(target) else {
            let isLong = object["target"]?.stringValue.map { $0.utf8.count > RecordedTarget.longest } ?? false
            throw LineProblem(
                isLong
                    ? "target is \(RecordedTarget.tooLong)"
                    : "target is not a path that begins with / and has no spaces in it"
            )
        }
        guard let status = object["status"]?.intValue, status == 0 || (100...599).contains(status) else {
            throw LineProblem("status is not between 100 and 599")
        }
        let length = object["bytes"]?.intValue
        guard (0...Self.mostBytes).contains(length ?? 0) else {
            throw LineProblem("bytes is not between 0 and a tebibyte")
        }
        self.init(
            time: time, offset: offset ?? .zero, method: method, target: target, status: status,
            latency: try Self.seconds(object, "seconds") ?? .zero, length: length)
        guard offset != nil else { throw LineProblem("offset is missing") }
        upstreamLatency = try Self.seconds(object, "upstream_seconds")
        requestFields = try Self.fields(object, "request_headers", RecordedFields.ofRequests)
        fields = try Self.fields(object, "headers", RecordedFields.ofAnswers)
        protocolName = object["protocol"]?.stringValue
        outcome = object["outcome"]?.stringValue
        reason = object["reason"]?.stringValue
        isPersonal = object["personal"] == .bool(true)
        guard let text = object["body"], text != .null else { return }
        guard let hash = text.stringValue.flatMap({ BodyHash($0) }) else {
            throw LineProblem("body is not a SHA-256 of 64 hexadecimal digits")
        }
        body = hash
    }

    static func seconds(_ object: JSON, _ name: String) throws(LineProblem) -> Duration? {
        guard let value = object[name], value != .null else { return nil }
        guard case .number(let text) = value, let span = Duration(decimalSeconds: text) else {
            throw LineProblem("\(name) is not a number of seconds from 0 to a billion")
        }
        return span
    }

    private static func fields(
        _ object: JSON, _ name: String, _ list: Set<String>
    ) throws(LineProblem) -> [RecordedField] {
        guard let value = object[name], value != .null else { return [] }
        guard let members = value.objectValue?.members else { throw LineProblem("\(name) is not an object") }
        var fields: [RecordedField] = []
        for member in members {
            guard let text = member.value.stringValue else {
                throw LineProblem("\(name) has an invalid header field")
            }
            if let field = try RecordedFields.kept(member.key, text, of: list) { fields.append(field) }
        }
        return fields
    }

    /// A tebibyte: sums of lengths cannot overflow.
    static let mostBytes = 1 << 40
}

// The recorded form of requests whose answers are one user's.

extension RecordedExchange {
    /// The exchange without one user's data: of a personal request the route stays. nil where the
    /// target cannot be read: then nothing tells whether the answer is personal.
    /// - Parameter tellsWhoAsks: whether the request has a user's token or a cookie: then the
    ///   answer is one user's, except on routes whose answers are the same for all users.
    public func withoutPersonalParts(tellsWhoAsks: Bool) -> RecordedExchange? {
        guard let canonical = try? CanonicalTarget(target) else { return nil }
        let hidesTarget = canonical.route.isPersonal || (tellsWhoAsks && !canonical.route.isShared)
        guard isPersonal || hidesTarget else { return self }
        var copy = self
        copy.isPersonal = true
        copy.body = nil
        copy.requestFields.removeAll { !RecordedFields.ofPersonalRequests.contains($0.name) }
        guard hidesTarget else { return copy }
        let route = "\(canonical.route.template)"
        copy.target = route.utf8.first == UInt8(ascii: "/") ? route : RecordedTarget.unknownRoute
        return copy
    }
}
