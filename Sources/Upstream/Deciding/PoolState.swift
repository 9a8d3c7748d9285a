import EventLoop
import Text

/// The brain of the connection pool: events in, actions out, no I/O and no clock.
///
/// Must hold:
/// - at most `maxConnections` connections, those being opened and those backing off included;
/// - one exchange per connection; a connection comes back only when both messages ended exactly;
/// - the connection that was used last is reused first, the waiting are served in the order in
///   which they came;
/// - an idle connection and a waiting request that could use it never exist together;
/// - while connecting fails, one attempt at a time, with growing pauses between them;
/// - every request ends: it has a deadline from the moment it is submitted.
struct PoolState {
    let settings: UpstreamSettings
    private let spans: Spans
    private(set) var connections: [ConnectionID: Connection] = [:]
    /// The idle ones, the one used last at the end.
    private(set) var idle: [ConnectionID] = []
    private(set) var waiting: [Ticket] = []
    private var isDraining = false
    /// When `tick` must be called at the latest; it may turn out that nothing was due.
    private(set) var wakeAt: Instant?
    private var nextConnection = 0
    private var consecutiveConnectFailures = 0

    init(settings: UpstreamSettings) {
        (self.settings, spans) = (settings, Spans(settings))
    }
}

// MARK: Events about requests

extension PoolState {
    mutating func submit(_ request: RequestID, isReplayable: Bool, now: Instant) -> ActionList<Action> {
        guard !isDraining else { return [.fail(request, .draining)] }
        let ticket = Ticket(request: request, isReplayable: isReplayable, deadline: now.advanced(by: spans.whole))
        if let connection = takeIdle(for: ticket, now: now) {
            return ActionList(lease(connection, to: ticket, isReused: true, now: now))
        }
        guard waiting.count < settings.maxWaiting else {
            // How fast those before it will go is the budget's to know.
            return [.fail(request, .tooManyWaiting(retryAfter: 1))]
        }
        waiting.append(ticket)
        wake(at: ticket.deadline)
        return openWhatIsNeeded(now: now)
    }

    /// The request is not wanted any more. Nothing is said about it again.
    mutating func cancel(_ request: RequestID, now: Instant) -> ActionList<Action> {
        if let index = waiting.firstIndex(where: { $0.request == request }) {
            waiting.remove(at: index)
            return ActionList()
        }
        guard let connection = connection(of: request) else { return ActionList() }
        remove(connection)
        return [.close(connection)] + openWhatIsNeeded(now: now)
    }

    /// The connection that has the request; nil while it waits for one.
    func connection(of request: RequestID) -> ConnectionID? {
        connections.first { $0.value.ticket?.request == request }?.key
    }

    /// The request that a connection has.
    func request(on connection: ConnectionID) -> RequestID? { connections[connection]?.ticket?.request }

    /// No new requests; those accepted are finished. Connections close as they come free.
    mutating func drain() -> ActionList<Action> {
        isDraining = true
        let closing = idle
        for connection in closing { remove(connection) }
        return ActionList(of: closing.map { .close($0) })
    }
}

// MARK: Events about connections

extension PoolState {
    mutating func connected(_ connection: ConnectionID, now: Instant) -> ActionList<Action> {
        guard case .starting = connections[connection] else { return ActionList() }
        consecutiveConnectFailures = 0
        guard !waiting.isEmpty else { return becomeIdle(connection, now: now) + openWhatIsNeeded(now: now) }
        let ticket = waiting.removeFirst()
        return ActionList(lease(connection, to: ticket, isReused: false, now: now)) + openWhatIsNeeded(now: now)
    }

    /// Every address of the origin was tried, or the time for it is up.
    mutating func connectFailed(_ connection: ConnectionID, _ failure: DialFailure, now: Instant) -> ActionList<Action>
    {
        guard case .starting = connections[connection] else { return ActionList() }
        backOff(connection, now: now)
        // Others that are being opened or at work may yet serve the waiting. With none left,
        // waiting is pointless.
        guard counts.starting == 0, counts.leased == 0 else { return [.close(connection)] }
        let hopeless = waiting
        waiting.removeAll()
        return [.close(connection)] + ActionList(of: hopeless.map { .fail($0.request, .dial(failure)) })
    }

    /// The head of the final response has come, or more of its content: more is due next.
    mutating func progressed(_ connection: ConnectionID, now: Instant) {
        guard case .leased(let ticket, _) = connections[connection] else { return }
        let due = Due(deadline: now.advanced(by: spans.content), phase: .content)
        connections[connection] = .leased(ticket, due: due)
        wake(at: due.deadline)
    }

    /// Nothing more is read for now: only the whole deadline counts.
    mutating func pauses(_ connection: ConnectionID) {
        guard case .leased(let ticket, _) = connections[connection] else { return }
        connections[connection] = .leased(ticket, due: nil)
    }

    /// The exchange is complete. `isReusable`: both messages ended exactly, nothing is left over,
    /// both sides keep alive.
    mutating func finished(_ connection: ConnectionID, isReusable: Bool, now: Instant) -> ActionList<Action> {
        guard case .leased = connections[connection] else { return ActionList() }
        guard isReusable else {
            remove(connection)
            return [.close(connection)] + openWhatIsNeeded(now: now)
        }
        // It worked this very instant, so any request may have it but one that just met a dead
        // connection.
        if let index = waiting.firstIndex(where: { !$0.isRetry }) {
            return ActionList(lease(connection, to: waiting.remove(at: index), isReused: true, now: now))
        }
        return waiting.isEmpty
            ? becomeIdle(connection, now: now) : becomeIdle(connection, now: now) + openWhatIsNeeded(now: now)
    }

    /// The exchange on this connection failed; the connection is of no more use.
    mutating func broke(_ connection: ConnectionID, _ failure: UpstreamFailure, now: Instant) -> ActionList<Action> {
        guard case .leased(var ticket, _) = connections[connection] else { return ActionList() }
        remove(connection)
        guard failure.isWorthRetrying, ticket.isReplayable, !ticket.isRetry else {
            return [.close(connection), .fail(ticket.request, failure)] + openWhatIsNeeded(now: now)
        }
        ticket.isRetry = true
        waiting.insert(ticket, at: 0)
        return [.close(connection)] + openWhatIsNeeded(now: now)
    }

    /// An idle connection was closed by the origin, or said something unasked.
    mutating func closedWhileIdle(_ connection: ConnectionID) -> ActionList<Action> {
        guard case .idle = connections[connection] else { return ActionList() }
        remove(connection)
        return [.close(connection)]
    }
}

// Steps common to the events of `PoolState`.

extension PoolState {
    var counts: (starting: Int, backingOff: Int, leased: Int) {
        var counts = (starting: 0, backingOff: 0, leased: 0)
        for state in connections.values {
            switch state {
            case .starting: counts.starting += 1
            case .backingOff: counts.backingOff += 1
            case .leased: counts.leased += 1
            case .idle: break
            }
        }
        return counts
    }

    /// Opens a connection for each request that waits, within the bound. After a failure one
    /// attempt at a time, and none in a pause.
    private mutating func openWhatIsNeeded(now: Instant) -> ActionList<Action> {
        // Mostly nothing waits; counting goes through all connections.
        guard !waiting.isEmpty else { return ActionList() }
        var actions = ActionList<Action>()
        var (starting, backingOff, _) = counts
        while starting < waiting.count, backingOff == 0, consecutiveConnectFailures == 0 || starting == 0 {
            if connections.count >= settings.maxConnections {
                // An idle one that no waiting request can use makes room.
                guard let oldest = idle.first else { break }
                remove(oldest)
                actions.append(.close(oldest))
            }
            let connection = ConnectionID(number: nextConnection)
            nextConnection += 1
            let deadline = now + settings.timeouts.connect
            connections[connection] = .starting(deadline: deadline)
            wake(at: deadline)
            starting += 1
            actions.append(.open(connection))
        }
        return actions
    }

    /// The idle connection used last, if it is good enough for this request.
    private mutating func takeIdle(for ticket: Ticket, now: Instant) -> ConnectionID? {
        guard let last = idle.last, case .idle(let since) = connections[last] else { return nil }
        let trusted = ticket.isReplayable ? spans.idle : min(spans.recentUse, spans.idle)
        guard now < since.advanced(by: trusted) else { return nil }
        return idle.removeLast()
    }

    private mutating func lease(
        _ connection: ConnectionID, to ticket: Ticket, isReused: Bool, now: Instant
    ) -> Action {
        let due = Due(deadline: now.advanced(by: spans.response), phase: .firstByte)
        connections[connection] = .leased(ticket, due: due)
        wake(at: min(due.deadline, ticket.deadline))
        return .lease(connection, ticket.request, isReused: isReused)
    }

    private mutating func becomeIdle(_ connection: ConnectionID, now: Instant) -> ActionList<Action> {
        guard !isDraining else {
            remove(connection)
            return [.close(connection)]
        }
        connections[connection] = .idle(since: now)
        idle.append(connection)
        wake(at: now.advanced(by: spans.idle))
        return ActionList()
    }

    /// Holds the place of a connection that could not be opened, so that the next attempt waits.
    /// One place is enough, and connections that fail together are one failure.
    private mutating func backOff(_ connection: ConnectionID, now: Instant) {
        guard counts.backingOff == 0 else { return remove(connection) }
        consecutiveConnectFailures += 1
        let doublings = min(consecutiveConnectFailures - 1, 16)
        let until = now + min(settings.backoff * (1 << doublings), settings.maxBackoff)
        connections[connection] = .backingOff(until: until)
        wake(at: until)
    }

    private mutating func remove(_ connection: ConnectionID) {
        connections[connection] = nil
        idle.removeAll { $0 == connection }
    }
}

// Deadlines and pauses: the events of `PoolState` that the clock alone causes.

extension PoolState {
    /// Ends overdue requests and tries again after a long enough pause.
    mutating func tick(now: Instant) -> ActionList<Action> {
        guard let due = wakeAt, due <= now else { return ActionList() }
        wakeAt = nil
        var actions = ActionList<Action>()
        for connection in connections.keys.sorted() {
            actions += tick(connection, now: now)
        }
        for ticket in waiting where ticket.deadline <= now {
            actions.append(.fail(ticket.request, .timeout(.whole)))
        }
        waiting.removeAll { $0.deadline <= now }
        for ticket in waiting { wake(at: ticket.deadline) }
        return actions + openWhatIsNeeded(now: now)
    }

    private mutating func tick(_ connection: ConnectionID, now: Instant) -> ActionList<Action> {
        switch connections[connection] {
        case nil:
            return ActionList()
        case .starting(let deadline):
            guard deadline <= now else { return stay(until: deadline) }
            return connectFailed(connection, .timedOut, now: now)
        case .backingOff(let until):
            guard until <= now else { return stay(until: until) }
            remove(connection)
            return ActionList()
        case .idle(let since):
            let until = since + settings.idleTimeout
            guard until <= now else { return stay(until: until) }
            return closedWhileIdle(connection)
        case .leased(let ticket, let due):
            if let due, due.deadline <= now { return broke(connection, .timeout(due.phase), now: now) }
            guard ticket.deadline <= now else {
                return stay(until: min(due?.deadline ?? ticket.deadline, ticket.deadline))
            }
            return broke(connection, .timeout(.whole), now: now)
        }
    }

    private mutating func stay(until instant: Instant) -> ActionList<Action> {
        wake(at: instant)
        return ActionList()
    }

    private mutating func wake(at instant: Instant) {
        wakeAt = min(wakeAt ?? instant, instant)
    }
}

extension PoolState {
    /// Times that are added with every request, in nanoseconds: see `Instant.advanced`.
    private struct Spans {
        let whole, response, content, idle, recentUse: Int64

        init(_ settings: UpstreamSettings) {
            let timeouts = settings.timeouts
            whole = timeouts.whole.wholeNanoseconds
            (response, content) = (timeouts.response.wholeNanoseconds, timeouts.content.wholeNanoseconds)
            (idle, recentUse) = (settings.idleTimeout.wholeNanoseconds, settings.recentUse.wholeNanoseconds)
        }
    }

    struct ConnectionID: NumberedKey, Sendable, Comparable {
        let number: Int
        var hashNumber: UInt64 { UInt64(truncatingIfNeeded: number) }
        static func < (a: Self, b: Self) -> Bool { a.number < b.number }
    }

    struct RequestID: NumberedKey, Sendable {
        let number: Int
        var hashNumber: UInt64 { UInt64(truncatingIfNeeded: number) }
    }

    /// Actions for the runner, in this order.
    enum Action: Equatable {
        /// Resolve and connect; answer with `connected` or `connectFailed`.
        case open(ConnectionID)
        /// Send the request on this connection.
        case lease(ConnectionID, RequestID, isReused: Bool)
        /// Close and forget the connection; no event about it is expected any more.
        case close(ConnectionID)
        /// Tell the receiver; the request is gone.
        case fail(RequestID, UpstreamFailure)
    }

    /// A request on its way through the pool.
    struct Ticket: Equatable {
        let request: RequestID
        /// Whether it may be sent once more if nothing at all came back.
        let isReplayable: Bool
        var isRetry = false
        let deadline: Instant
    }

    /// The next event due from a leased connection, beside the end of the exchange.
    struct Due: Equatable {
        let deadline: Instant
        let phase: UpstreamFailure.Phase
    }

    enum Connection: Equatable {
        case starting(deadline: Instant)
        case backingOff(until: Instant)
        case idle(since: Instant)
        case leased(Ticket, due: Due?)

        var ticket: Ticket? {
            if case .leased(let ticket, _) = self { ticket } else { nil }
        }
    }
}
