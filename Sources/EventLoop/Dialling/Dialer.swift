/// Opens one connection: looks a name up and tries its addresses by a `DialPlan` until a stream is
/// open and, with TLS, verified. Confined to its loop.
///
/// Calls its completion exactly once, in a later turn, and never after `stop`. Closes a stream that
/// the completion gives no other handler. The owner watches the deadline of the whole. All dialers
/// of a resolver learn from the failures of addresses.
public final class Dialer {
    private let endpoint: Endpoint
    private let tls: ClientTLS?
    private let resolver: Resolver
    private let loop: EventLoop
    private let begun: Instant
    private let deadline: Instant
    private let rotation: Int
    private var completion: ((Result<Stream, DialFailure>) -> Void)?
    private var plan: DialPlan<SocketAddress>
    private var attempts: [(address: SocketAddress, stream: Stream)] = []
    private let timer: DeadlineTimer
    private var lastFailure = DialFailure.resolve("no address")

    /// Begins.
    /// - Parameters:
    ///   - tls: exactly if the endpoint is TLS.
    ///   - deadline: of the whole; the addresses share the time until then.
    ///   - rotation: moves another of the addresses to the front, as many dials with numbers of
    ///     their own do in turns.
    public init(
        to endpoint: Endpoint, tls: ClientTLS?, deadline: Instant, resolver: Resolver, loop: EventLoop,
        rotation: Int = 0, completion: @escaping (Result<Stream, DialFailure>) -> Void
    ) {
        precondition(endpoint.isTLS == (tls != nil))
        (self.endpoint, self.tls, self.resolver, self.loop, self.rotation) = (endpoint, tls, resolver, loop, rotation)
        (begun, self.deadline) = (loop.now, deadline)
        plan = DialPlan(deadline: deadline)
        self.completion = completion
        timer = DeadlineTimer(loop: loop)
        timer.action = { [unowned self] in self.tick() }
        lookUp(since: nil)
    }

    /// Gives up without a word.
    public func stop() {
        completion = nil
        timer.cancel()
        for attempt in attempts { attempt.stream.close() }
        attempts = []
    }

    private func lookUp(since: Instant?) {
        let confined = Confined(self, to: loop)
        resolver.resolve(host: endpoint.host, port: endpoint.port, since: since, on: loop) {
            confined.value.resolved($0)
        }
    }

    private func resolved(_ result: Result<[SocketAddress], ResolveError>) {
        guard completion != nil else { return }
        switch result {
        case .success(let addresses): perform(plan.found(rotated(addresses), now: loop.now))
        case .failure(let error):
            if attempts.isEmpty, case .resolve = lastFailure { lastFailure = .resolve(error.description) }
            perform(plan.found([], now: loop.now))
        }
    }

    private func rotated(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard rotation > 0, !addresses.isEmpty else { return addresses }
        var rotated = addresses
        rotated.insert(rotated.remove(at: rotation % rotated.count), at: 0)
        return rotated
    }

    private func perform(_ actions: [DialPlan<SocketAddress>.Action]) {
        for action in actions {
            switch action {
            case .dial(let address): dial(address)
            case .lookUpAgain: lookUp(since: begun)
            case .fail: finish(.failure(lastFailure))
            }
        }
        if completion != nil, let nextAt = plan.nextAt { timer.set(nextAt) } else { timer.clear() }
    }

    private func dial(_ address: SocketAddress) {
        let session = tls.map { (configuration: $0, hostName: endpoint.name) }
        do {
            // The time of the whole is the handshake's too.
            let stream = try Stream.connect(
                to: address, tls: session, handshakeTimeout: deadline - loop.now, loop: loop, handler: self)
            attempts.append((address, stream))
        } catch {
            lastFailure = .connect(error.description)
            perform(plan.failed(address, now: loop.now))
        }
    }

    private func tick() {
        perform(plan.tick(isShakingHands: attempts.last?.stream.isShakingHands == true, now: loop.now))
    }

    private func finish(_ result: Result<Stream, DialFailure>) {
        let completion = completion
        stop()
        completion?(result)
    }
}

extension Dialer: StreamHandler {
    public func streamDidOpen(_ stream: Stream) {
        guard let index = attempts.firstIndex(where: { $0.stream === stream }) else { return }
        let winner = attempts.remove(at: index)
        // Those that had more time have lost; those after it had less.
        for loser in attempts[..<index] { resolver.noteFailure(of: loser.address) }
        resolver.noteReached(winner.address)
        finish(.success(stream))
        if stream.handler === self { stream.close() }
    }

    public func streamDidBecomeReadable(_ stream: Stream) {}

    public func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard let index = attempts.firstIndex(where: { $0.stream === stream }) else { return }
        let address = attempts.remove(at: index).address
        resolver.noteFailure(of: address)
        lastFailure = DialFailure(error)
        perform(plan.failed(address, now: loop.now))
    }
}
