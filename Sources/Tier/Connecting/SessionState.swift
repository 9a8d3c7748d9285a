import EventLoop

/// The brain of one loop's connection to the shared tier: events in, actions out, no I/O and no
/// clock.
///
/// Must hold:
/// - commands are sent to an engine that has said on this very connection that it is a master, and
///   to no other; in a cluster, to the owner of the slot of all keys;
/// - a reply belongs to the oldest command that is not answered. Where that can be in doubt (a
///   reply is late, superfluous or malformed) the connection is closed, so that the reply to one
///   command is never taken for another's;
/// - every pipeline ends: it has a deadline from the moment it is handed over, which a large reply
///   that is on its way puts off by a second at most; and nothing is ever sent twice;
/// - a pipeline that cannot be sent in time fails at once.
struct SessionState: Sendable {
    enum Phase: Equatable {
        /// Before the first `start`.
        case idle
        case dialing(deadline: Instant)
        case greeting(deadline: Instant)
        case ready
        /// Every engine was tried, or a connection was lost.
        case pausing(until: Instant)
        /// For good.
        case closed
    }

    let endpoints: [Endpoint]
    let timeout: Duration
    let greeting: Greeting
    let limits: SessionLimits

    var phase = Phase.idle
    /// Index of the endpoint that is dialled or used, or comes after `owner`.
    var current = 0
    /// The node of a cluster that others name as the owner of the keys; nil where none was named,
    /// or it was in vain. It is dialled or used in place of an endpoint.
    var owner: Endpoint?
    /// How often an owner was named since a pipeline was answered, or in this round.
    var moves = 0
    /// How many have not been tried yet in this round.
    var untried = 0
    /// Pauses since a pipeline was answered.
    var pauses = 0
    var greetingReplies: [RESPReply] = []
    var reader = RESPReader()
    /// When bytes of a reply came last that goes on.
    var flowedAt: Instant?
    var queue: PipelineQueue
    var breaker = Breaker()
    var hasBeenReady = false
    /// The state that was logged last.
    var reported: Usability?
    var counters = TierStatus()
    /// When `tick` must be called at the latest; it may turn out that nothing was due.
    var wakeAt: Instant?

    init(_ settings: TierSettings, limits: SessionLimits = SessionLimits()) {
        endpoints = settings.endpoints
        timeout = settings.timeout
        greeting = Greeting(settings)
        self.limits = limits
        queue = PipelineQueue(limits: limits)
    }

    /// The engine that is dialled or used.
    var engine: Endpoint { owner ?? endpoints[current] }

    /// Whether the engine has greeted it as a master.
    var isReady: Bool { phase == .ready }

    /// The counters with the state of this moment filled in.
    var status: TierStatus {
        var status = counters
        status.endpoint = phase == .ready ? engine : nil
        status.isBreakerOpen = breaker.isOpen
        (status.waiting, status.waitingBytes) = (queue.count, queue.byteCount)
        return status
    }

    struct PipelineID: Hashable, Sendable {
        let number: Int

        /// Number of the session's own ping.
        static let probe = PipelineID(number: -1)
    }

    /// Actions for the runner, in this order.
    enum Action: Equatable {
        /// Resolve and connect; answer with `opened` or `dialFailed`.
        case dial(Endpoint)
        /// Send these bytes.
        case send([UInt8])
        /// Give up dialling, or close the connection; no event about it is expected any more.
        case close
        /// Hand over the replies, one a command. Those of `PipelineID.probe` have no caller.
        case complete(PipelineID, [RESPReply])
        /// There will be no replies, and whether the commands were carried out is not known.
        case fail(PipelineID)
        /// Count a greeting that the engine refuses.
        case refused(EngineRefusal)
        /// Tell the log.
        case report(Usability)
    }

    /// Whether the tier is used. Only a change is reported: an engine that is away for a day is two
    /// lines, and a connection that is lost and found again is none.
    enum Usability: Equatable, Sendable, CustomStringConvertible {
        case connected(Endpoint)
        case unusable(Endpoint, TierFailure)

        /// "shared tier 127.0.0.1:6379: connected"
        var description: String {
            switch self {
            case .connected(let endpoint): "shared tier \(endpoint): connected"
            case .unusable(let endpoint, let failure):
                "shared tier \(endpoint): unavailable: \(failure); continuing without it"
            }
        }
    }

    // MARK: Events about pipelines

    /// Commands are to be sent. They wait for a connection where one is being made.
    /// - Parameter timeout: nil for the operator's.
    mutating func submit(
        _ id: PipelineID, _ commands: [RESPCommand], timeout: Duration? = nil, now: Instant
    ) -> [Action] {
        counters.commands += commands.count
        let byteCount = commands.reduce(0) { $0 + $1.byteCount }
        let deadline = now + (timeout ?? self.timeout)
        guard queue.hasRoom(for: byteCount), isHopeful(deadline), !breaker.isOpen else { return fail([id]) }
        let bytes = RESPCommand.pipeline(commands)
        queue.add(.init(id, bytes, commandCount: commands.count, deadline: deadline))
        wake(at: deadline)
        return phase == .ready ? sendUnsent(now: now) : []
    }

    /// Whether there may be a connection before that instant.
    private func isHopeful(_ deadline: Instant) -> Bool {
        switch phase {
        case .idle, .dialing, .greeting, .ready: true
        case .pausing(let until): until < deadline
        case .closed: false
        }
    }

    /// While the breaker is open, asks the engine for its role, once a second and on an open
    /// connection. Any reply closes the breaker.
    mutating func probe(now: Instant) -> [Action] {
        guard phase == .ready, let due = breaker.nextProbe else { return [] }
        guard breaker.takesProbe(now: now) else {
            wake(at: due)
            return []
        }
        let question = RESPCommand("ROLE")
        counters.commands += 1
        queue.add(
            .init(.probe, RESPCommand.pipeline([question]), commandCount: 1, deadline: now + timeout))
        wake(at: now + timeout)
        return sendUnsent(now: now)
    }

    mutating func sendUnsent(now: Instant) -> [Action] {
        queue.takeUnsent(now: now).map { .send($0) }
    }

    mutating func fail(_ pipelines: [PipelineID]) -> [Action] {
        counters.failures += pipelines.count
        return pipelines.map { .fail($0) }
    }

    mutating func wake(at instant: Instant) { wakeAt = min(wakeAt ?? instant, instant) }
}
