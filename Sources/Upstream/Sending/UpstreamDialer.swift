import EventLoop

/// Opens one connection: tries the addresses of a `DialPlan` until a stream is open and, with TLS,
/// verified.
///
/// Calls its completion exactly once, or never after `stop`. The deadline of the whole is the
/// pool's to watch.
final class UpstreamDialer {
    private var plan: DialPlan<SocketAddress>
    private let tls: (configuration: ClientTLS, hostName: String)?
    private let loop: EventLoop
    private var completion: ((Result<Stream, UpstreamFailure>) -> Void)?
    private var stream: Stream?
    private var giveUpTimer: TimerToken?
    private var lastFailure = UpstreamFailure.resolve("no address")

    init(
        _ plan: DialPlan<SocketAddress>, tls: (configuration: ClientTLS, hostName: String)?, loop: EventLoop,
        _ completion: @escaping (Result<Stream, UpstreamFailure>) -> Void
    ) {
        self.plan = plan
        self.tls = tls
        self.loop = loop
        self.completion = completion
    }

    func start() {
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

    /// Gives up without a word.
    func stop() {
        completion = nil
        dropAttempt()
    }

    private func giveUp() {
        giveUpTimer = nil
        dropAttempt()
        lastFailure = .timeout(.connect)
        start()
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

    private func finish(_ result: Result<Stream, UpstreamFailure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    private static func failure(of error: StreamError?) -> UpstreamFailure {
        switch error {
        case .system(let error): .connect(error.description)
        case .tls(let reason): .tls(reason)
        case .truncated: .tls("closed during the handshake")
        case .handshakeTimedOut: .timeout(.connect)
        case nil: .connect("closed")
        }
    }
}

extension UpstreamDialer: StreamHandler {
    func streamDidOpen(_ stream: Stream) {
        guard stream === self.stream else { return }
        cancelTimer()
        self.stream = nil
        finish(.success(stream))
    }

    func streamDidBecomeReadable(_ stream: Stream) {}

    func streamDidDrain(_ stream: Stream) {}

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        cancelTimer()
        self.stream = nil
        lastFailure = Self.failure(of: error)
        start()
    }
}
