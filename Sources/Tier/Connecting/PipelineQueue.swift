import EventLoop

/// The pipelines of one connection that wait to be sent or to be answered, in the order in which
/// they came. Pure.
///
///     0             sentCount          count
///     [ sent         | unsent          ]
///
/// Must hold: a reply belongs to the first of the sent ones; none is sent before one that came
/// earlier; count and bytes stay within the limits.
struct PipelineQueue: Sendable {
    struct Pipeline: Sendable {
        let id: SessionState.PipelineID
        /// How many replies it takes.
        let commandCount: Int
        /// Bytes of its commands, sent or not.
        let byteCount: Int
        let deadline: Instant
        /// Encoded commands; empty once they are sent.
        var bytes: [UInt8]
        var sentAt: Instant?
        var replies: [RESPReply] = []

        init(_ id: SessionState.PipelineID, _ bytes: [UInt8], commandCount: Int, deadline: Instant) {
            (self.id, self.commandCount, self.bytes) = (id, commandCount, bytes)
            byteCount = bytes.count
            self.deadline = deadline
        }
    }

    private let limits: SessionLimits
    private var pipelines: [Pipeline] = []
    private var sentCount = 0
    private(set) var byteCount = 0

    init(limits: SessionLimits) { self.limits = limits }

    var count: Int { pipelines.count }
    /// Whether a reply is waited for.
    var isAwaiting: Bool { sentCount > 0 }
    /// When the first of them has waited long enough.
    var earliestDeadline: Instant? { pipelines.lazy.map(\.deadline).min() }

    /// Whether one more pipeline with that many bytes of commands may wait.
    func hasRoom(for bytes: Int) -> Bool {
        count < limits.maxPipelines && bytes <= limits.maxBytes - byteCount
    }

    mutating func add(_ pipeline: Pipeline) {
        pipelines.append(pipeline)
        byteCount += pipeline.byteCount
    }

    /// The commands of all that are unsent, which count as sent from now on. Each in an array of
    /// its own: to join them would copy them.
    mutating func takeUnsent(now: Instant) -> [[UInt8]] {
        var taken: [[UInt8]] = []
        for index in pipelines.indices[sentCount...] {
            taken.append(pipelines[index].bytes)
            pipelines[index].bytes = []
            pipelines[index].sentAt = now
        }
        sentCount = count
        return taken
    }

    /// Gives a reply to the pipeline that it belongs to; returns that pipeline where the reply is
    /// its last. Only while a reply is waited for.
    mutating func take(_ reply: RESPReply) -> Pipeline? {
        pipelines[0].replies.append(reply)
        guard pipelines[0].replies.count == pipelines[0].commandCount else { return nil }
        sentCount -= 1
        byteCount -= pipelines[0].byteCount
        return pipelines.removeFirst()
    }

    /// How many of those sent have such a deadline.
    func overdueSent(_ isPast: (Instant) -> Bool) -> Int {
        pipelines[..<sentCount].count { isPast($0.deadline) }
    }

    /// Takes out all that are sent: their replies will not be read.
    mutating func removeSent() -> [SessionState.PipelineID] {
        let removed = pipelines[..<sentCount].map(\.id)
        byteCount -= pipelines[..<sentCount].reduce(0) { $0 + $1.byteCount }
        pipelines.removeFirst(sentCount)
        sentCount = 0
        return removed
    }

    /// Takes out those unsent whose deadlines come before or at that instant.
    mutating func removeUnsent(dueBy instant: Instant) -> [SessionState.PipelineID] {
        let due = pipelines[sentCount...].filter { $0.deadline <= instant }
        guard !due.isEmpty else { return [] }
        byteCount -= due.reduce(0) { $0 + $1.byteCount }
        let staying = pipelines[sentCount...].filter { $0.deadline > instant }
        pipelines.replaceSubrange(sentCount..., with: staying)
        return due.map(\.id)
    }
}
