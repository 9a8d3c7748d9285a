import Text

// One request and its answer, as a recording holds them.
// What must hold: nothing here can name a person or a secret. What may be written is an allow-list
// (`RecordedFields`), not a list of what to leave out.

/// A field of a request or an answer.
public struct RecordedField: Sendable, Equatable {
    /// In lower case.
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request and its answer.
public struct RecordedExchange: Sendable, Equatable {
    /// When the request had arrived, by the clock on the wall.
    public var time: Timestamp
    /// The same on the monotonic clock, since the recording began. Replays go by it: no step of the
    /// wall clock moves it.
    public var offset: Duration
    public var method: String
    /// In origin form: path and query as the client wrote them; of a personal request its route
    /// alone.
    public var target: String
    public var requestFields: [RecordedField] = []
    /// Zero where there was no answer, as in HAR.
    public var status: Int
    public var fields: [RecordedField] = []
    /// From the arrival of the request until its answer was handed to the kernel.
    public var latency: Duration
    /// How long the origin took; nil where it was not asked, or that is not known.
    public var upstreamLatency: Duration?
    /// In the words of the access log; nil where that is not known.
    public var outcome: String?
    public var reason: String?
    /// Bytes of content.
    public var length: Int
    /// nil: not recorded.
    public var body: BodyHash?
    /// One user's: no body, and a target that is a route.
    public var isPersonal = false

    public init(
        time: Timestamp, offset: Duration, method: String, target: String, status: Int, latency: Duration, length: Int
    ) {
        self.time = time
        self.offset = offset
        self.method = method
        self.target = target
        self.status = status
        self.latency = latency
        self.length = length
    }

    /// The value of the first field of the answer with this name, in lower case.
    public func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
