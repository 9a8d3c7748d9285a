import EventLoop

/// The brain of the connection pool: events in, actions out, no I/O and no clock.
///
/// What must hold:
/// - at most `maxConnections` connections, those being opened and those backing off included;
/// - one exchange per connection; a connection comes back only when both messages ended exactly;
/// - the connection that was used last is reused first, the waiting are served in the order in
///   which they came;
/// - an idle connection and a waiting request that could use it never exist together;
/// - while connecting fails, one attempt at a time, with growing pauses between them;
/// - every request ends: it has a deadline from the moment it is submitted.
struct PoolState {
    let settings: UpstreamSettings
    var connections: [ConnectionID: Connection] = [:]
    /// The idle ones, the one used last at the end.
    var idle: [ConnectionID] = []
    var waiting: [Ticket] = []
    var isDraining = false
    var counters = UpstreamCounters()
    /// When `tick` must be called at the latest; it may turn out that nothing was due.
    var wakeAt: Instant?
    var nextConnection = 0
    var consecutiveConnectFailures = 0

    init(settings: UpstreamSettings) {
        self.settings = settings
    }
}

// MARK: Events about requests

extension PoolState {
    mutating func submit(_ request: RequestID, isReplayable: Bool, now: Instant) -> [Action] {
        guard !isDraining else { return [fail(request, .draining)] }
        let ticket = Ticket(request: request, isReplayable: isReplayable, deadline: now + settings.wholeTimeout)
        if let connection = takeIdle(for: ticket, now: now) {
            return [lease(connection, to: ticket, isReused: true, now: now)]
        }
        guard waiting.count < settings.maxWaiting else {
            // How fast those before it will go is the budget's to know.
            return [fail(request, .tooManyWaiting(retryAfter: 1))]
        }
        waiting.append(ticket)
        wake(at: ticket.deadline)
        return openWhatIsNeeded(now: now)
    }

    /// The request is not wanted any more. Nothing is said about it again.
    mutating func cancel(_ request: RequestID, now: Instant) -> [Action] {
        if let index = waiting.firstIndex(where: { $0.request == request }) {
            waiting.remove(at: index)
            return []
        }
        let found = connections.first { _, state in
            if case .leased(let ticket, _, _) = state { ticket.request == request } else { false }
        }
        guard let (connection, _) = found else { return [] }
        remove(connection)
        return [.close(connection)] + openWhatIsNeeded(now: now)
    }

    /// No new requests; those accepted are finished. Connections close as they come free.
    mutating func drain() -> [Action] {
        isDraining = true
        let closing = idle
        for connection in closing { remove(connection) }
        return closing.map { .close($0) }
    }
}

// MARK: Events about connections

extension PoolState {
    mutating func connected(_ connection: ConnectionID, now: Instant) -> [Action] {
        guard case .starting = connections[connection] else { return [] }
        consecutiveConnectFailures = 0
        counters.opened += 1
        guard !waiting.isEmpty else { return becomeIdle(connection, now: now) + openWhatIsNeeded(now: now) }
        let ticket = waiting.removeFirst()
        return [lease(connection, to: ticket, isReused: false, now: now)] + openWhatIsNeeded(now: now)
    }

    /// Every address of the origin was tried, or the time for it is up.
    mutating func connectFailed(_ connection: ConnectionID, _ failure: UpstreamFailure, now: Instant) -> [Action] {
        guard case .starting = connections[connection] else { return [] }
        counters.connectFailures += 1
        backOff(connection, now: now)
        // Others that are being opened or at work may yet serve the waiting. With none left,
        // waiting is pointless.
        guard counts.starting == 0, counts.leased == 0 else { return [.close(connection)] }
        let hopeless = waiting
        waiting.removeAll()
        return [.close(connection)] + hopeless.map { fail($0.request, failure) }
    }

    /// The head of the final response has come: its content is due next.
    mutating func answered(_ connection: ConnectionID, now: Instant) {
        guard case .leased(let ticket, let isReused, _) = connections[connection] else { return }
        let due = Due(deadline: now + settings.contentTimeout, phase: .content)
        connections[connection] = .leased(ticket, isReused: isReused, due: due)
        wake(at: due.deadline)
    }

    /// The content is too large to be collected; it goes on at the client's pace, so only the whole
    /// deadline counts.
    mutating func streams(_ connection: ConnectionID) {
        guard case .leased(let ticket, let isReused, _) = connections[connection] else { return }
        connections[connection] = .leased(ticket, isReused: isReused, due: nil)
    }

    /// The exchange is complete. `isReusable`: both messages ended exactly, nothing is left over,
    /// both sides keep alive.
    mutating func finished(_ connection: ConnectionID, isReusable: Bool, now: Instant) -> [Action] {
        guard case .leased = connections[connection] else { return [] }
        guard isReusable else {
            remove(connection)
            return [.close(connection)] + openWhatIsNeeded(now: now)
        }
        // It worked this very instant, so any request may have it but one that just met a dead
        // connection.
        if let index = waiting.firstIndex(where: { !$0.isRetry }) {
            return [lease(connection, to: waiting.remove(at: index), isReused: true, now: now)]
        }
        return becomeIdle(connection, now: now) + openWhatIsNeeded(now: now)
    }

    /// The exchange on this connection failed; the connection is of no more use.
    mutating func broke(_ connection: ConnectionID, _ failure: UpstreamFailure, now: Instant) -> [Action] {
        guard case .leased(var ticket, _, _) = connections[connection] else { return [] }
        remove(connection)
        guard failure.isWorthRetrying, ticket.isReplayable, !ticket.isRetry else {
            return [.close(connection), fail(ticket.request, failure)] + openWhatIsNeeded(now: now)
        }
        counters.retried += 1
        ticket.isRetry = true
        waiting.insert(ticket, at: 0)
        return [.close(connection)] + openWhatIsNeeded(now: now)
    }

    /// An idle connection was closed by the origin, or said something unasked.
    mutating func closedWhileIdle(_ connection: ConnectionID) -> [Action] {
        guard case .idle = connections[connection] else { return [] }
        remove(connection)
        return [.close(connection)]
    }
}
