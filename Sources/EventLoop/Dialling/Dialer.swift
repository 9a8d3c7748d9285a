/// Opens one connection: looks a name up and tries its addresses by a `DialPlan` until a stream is
/// open and, with TLS, verified. Confined to its loop.
///
/// Calls its completion exactly once, in a later turn, or never after `stop`. A stream of which the
/// completion makes nobody else the handler is closed. The deadline of the whole is the owner's to
/// watch.
public final class Dialer {
    private let tls: (configuration: ClientTLS, hostName: String)?
    private let loop: EventLoop
    private var completion: ((Result<Stream, DialFailure>) -> Void)?
    private let preferred: ([SocketAddress]) -> SocketAddress?
    private let deadline: Instant
    private var plan: DialPlan<SocketAddress>
    private var stream: Stream?
    private var giveUpTimer: TimerToken?
    private var lastFailure = DialFailure.resolve("no address")

    /// Begins.
    /// - Parameters:
    ///   - tls: exactly if the endpoint is TLS.
    ///   - preferred: which of the addresses that were found is tried first; nil for the first.
    ///   - deadline: of the whole; the addresses share the time until then.
    public init(
        to endpoint: Endpoint, tls: ClientTLS?, deadline: Instant, resolver: Resolver, loop: EventLoop,
        preferred: @escaping ([SocketAddress]) -> SocketAddress?,
        completion: @escaping (Result<Stream, DialFailure>) -> Void
    ) {
        precondition(endpoint.isTLS == (tls != nil))
        self.tls = tls.map { ($0, endpoint.host) }
        self.loop = loop
        (self.preferred, self.deadline) = (preferred, deadline)
        plan = DialPlan([], preferred: nil, deadline: deadline)
        self.completion = completion
        let confined = Confined(self, to: loop)
        resolver.resolve(host: endpoint.host, port: endpoint.port, on: loop) { confined.value.resolved($0) }
    }

    /// Gives up without a word.
    public func stop() {
        completion = nil
        dropAttempt()
    }

    private func resolved(_ result: Result<[SocketAddress], ResolveError>) {
        guard completion != nil else { return }
        switch result {
        case .success(let addresses):
            plan = DialPlan(addresses, preferred: preferred(addresses), deadline: deadline)
            tryNext()
        case .failure(let error):
            finish(.failure(.resolve(error.description)))
        }
    }

    private func tryNext() {
        while let attempt = plan.next(now: loop.now) {
            do {
                stream = try Stream.connect(to: attempt.address, tls: tls, loop: loop, handler: self)
            } catch {
                lastFailure = .connect(error.description)
                continue
            }
            if let giveUp = attempt.giveUp {
                giveUpTimer = loop.schedule(at: giveUp) { [weak self] in self?.giveUp() }
            }
            return
        }
        finish(.failure(lastFailure))
    }

    private func giveUp() {
        dropAttempt()
        lastFailure = .timedOut
        tryNext()
    }

    private func dropAttempt() {
        cancelTimer()
        stream?.close()
        stream = nil
    }

    private func cancelTimer() {
        if let giveUpTimer { loop.cancel(giveUpTimer) }
        giveUpTimer = nil
    }

    private func finish(_ result: Result<Stream, DialFailure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

extension Dialer: StreamHandler {
    public func streamDidOpen(_ stream: Stream) {
        guard stream === self.stream else { return }
        cancelTimer()
        self.stream = nil
        finish(.success(stream))
        if stream.handler === self { stream.close() }
    }

    public func streamDidBecomeReadable(_ stream: Stream) {}

    public func streamDidDrain(_ stream: Stream) {}

    public func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        cancelTimer()
        self.stream = nil
        lastFailure = DialFailure(error)
        tryNext()
    }
}
