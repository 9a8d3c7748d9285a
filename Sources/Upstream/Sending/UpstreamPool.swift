import EventLoop
import HTTP

/// The connections of one loop to the origin. Tells `PoolState` its events and performs the
/// actions.
///
/// An idempotent request that met a dead connection is sent once more, on a fresh one; any other
/// never is (RFC 9110, 9.2.2), and therefore only gets a connection that is fresh or was used a
/// moment ago. Redirects are not followed. The deadlines of all exchanges share one timer, so that
/// a request costs no system call for them.
public final class UpstreamPool {
    /// The settings that the pool was made with.
    public let settings: UpstreamSettings
    let loop: EventLoop
    let tls: ClientTLS?
    let resolver: Resolver
    private(set) var state: PoolState
    private var connections: [PoolState.ConnectionID: UpstreamConnection] = [:]
    private var exchanges: [PoolState.RequestID: UpstreamExchange] = [:]
    private var nextRequest = 0
    private var actions = ActionQueue<PoolState.Action>()
    private let timer: DeadlineTimer

    /// `tls` must be given exactly if the endpoint is TLS.
    public init(settings: UpstreamSettings, tls: ClientTLS?, loop: EventLoop, resolver: Resolver) {
        precondition(settings.endpoint.isTLS == (tls != nil))
        (self.settings, self.tls, self.loop, self.resolver) = (settings, tls, loop, resolver)
        state = PoolState(settings: settings)
        timer = DeadlineTimer(loop: loop)
        timer.action = { [unowned self] in self.tick() }
    }

    /// Sends a request, now or when a connection is free. The receiver is not called before this
    /// has returned.
    public func send(_ request: UpstreamRequest, to receiver: any UpstreamReceiver) -> UpstreamExchange {
        loop.assertOnLoop()
        // Without a gate it has no turn to wait for, and nothing counts it.
        let exchange = UpstreamExchange(
            request, UpstreamState(.waitingClient, of: .everyone, deadline: loop.now, repeats: 0, at: loop.now),
            label: UpstreamLabel(resourceClass: 0, purpose: 0, route: 0, spender: .everyone), pool: self, loop: loop,
            receiver: receiver)
        exchange.handle(.turnCame)
        return exchange
    }

    /// Takes no new requests, finishes those it has, and closes connections as they come free.
    func drain() {
        loop.assertOnLoop()
        perform(state.drain())
    }
}

// MARK: Requests of exchanges

extension UpstreamPool: ConnectionSource {
    func submit(_ exchange: UpstreamExchange) -> PoolState.RequestID {
        nextRequest += 1
        let id = PoolState.RequestID(number: nextRequest)
        exchanges[id] = exchange
        perform(state.submit(id, isReplayable: exchange.request.method.isIdempotent, now: loop.now))
        return id
    }

    func cancel(_ id: PoolState.RequestID) {
        loop.assertOnLoop()
        exchanges[id] = nil
        perform(state.cancel(id, now: loop.now))
    }

    func pause(_ id: PoolState.RequestID) {
        if let connection = state.connection(of: id) { state.pauses(connection) }
    }

    func resume(_ id: PoolState.RequestID) {
        guard let id = state.connection(of: id), let connection = connections[id] else { return }
        progressed(id)
        connection.readLater()
    }
}

// MARK: Reports of connections

extension UpstreamPool: ConnectionOwner {
    func dialed(_ id: PoolState.ConnectionID, _ result: Result<Stream, DialFailure>) {
        connections[id]?.dialed(result)
    }

    func tell(_ event: (inout PoolState, _ now: Instant) -> ActionList<PoolState.Action>) {
        perform(event(&state, loop.now))
    }

    func progressed(_ id: PoolState.ConnectionID) {
        state.progressed(id, now: loop.now)
        armTimer()
    }

    func finished(_ id: PoolState.ConnectionID, isReusable: Bool) {
        if let request = state.request(on: id) { exchanges[request] = nil }
        perform(state.finished(id, isReusable: isReusable, now: loop.now))
    }
}

// MARK: Actions

extension UpstreamPool {
    private func perform(_ new: ActionList<PoolState.Action>) {
        // Mostly it only has to wait on.
        guard !new.isEmpty else { return armTimer() }
        guard actions.add(new) else { return }
        while let action = actions.next() { perform(action) }
        armTimer()
    }

    private func perform(_ action: PoolState.Action) {
        switch action {
        case .open(let id):
            let connection = UpstreamConnection(id, pool: self)
            connections[id] = connection
            connection.open(in: self)
        case .lease(let id, let request, let isReused):
            // A request that was cancelled since takes its connection with it, by an action further
            // back.
            guard let exchange = exchanges[request] else { return }
            connections[id]?.start(exchange, isReused: isReused)
        case .close(let id):
            connections.removeValue(forKey: id)?.close()
        case .fail(let request, let failure):
            exchanges.removeValue(forKey: request)?.handle(.failed(failure))
        }
    }

    private func armTimer() {
        if let wakeAt = state.wakeAt { timer.hasten(to: wakeAt) }
    }

    private func tick() { perform(state.tick(now: loop.now)) }
}
