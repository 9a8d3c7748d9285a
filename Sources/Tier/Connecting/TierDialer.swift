import EventLoop

/// Opens one connection to one engine: looks its name up and tries the addresses in turn until a
/// stream is open and, with TLS, verified.
///
/// Calls its completion exactly once, or never after `stop`. The deadline of the whole is the
/// session's to watch. Confined to its loop.
final class TierDialer {
    private let endpoint: TierEndpoint
    private let tls: (configuration: ClientTLS, hostName: String)?
    private let loop: EventLoop
    private var completion: ((Result<Stream, TierFailure>) -> Void)?
    private var addresses: ArraySlice<SocketAddress> = []
    private var stream: Stream?
    private var lastFailure = TierFailure.resolve("no address")

    init(
        _ endpoint: TierEndpoint, tls: ClientTLS?, loop: EventLoop,
        _ completion: @escaping (Result<Stream, TierFailure>) -> Void
    ) {
        self.endpoint = endpoint
        self.tls = tls.map { ($0, endpoint.host) }
        self.loop = loop
        self.completion = completion
    }

    /// - Parameter attempt: how many dials came before. Each begins with another of the addresses,
    ///   so that one that swallows packets costs one dial and not all.
    func start(_ resolver: Resolver, attempt: Int) {
        let confined = Confined(self, to: loop)
        resolver.resolve(host: endpoint.host, port: endpoint.port, on: loop) { result in
            confined.value.resolved(result, attempt)
        }
    }

    /// Gives up without a word.
    func stop() {
        completion = nil
        stream?.close()
        stream = nil
    }

    private func resolved(_ result: Result<[SocketAddress], ResolveError>, _ attempt: Int) {
        guard completion != nil else { return }
        switch result {
        case .success(let found):
            let first = attempt % max(found.count, 1)
            addresses = found[first...] + found[..<first]
            tryNext()
        case .failure(let error):
            finish(.failure(.resolve(error.description)))
        }
    }

    private func tryNext() {
        while let address = addresses.popFirst() {
            do {
                stream = try Stream.connect(to: address, tls: tls, loop: loop, handler: self)
                return
            } catch {
                lastFailure = .connect(error.description)
            }
        }
        finish(.failure(lastFailure))
    }

    private func finish(_ result: Result<Stream, TierFailure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    private static func failure(of error: StreamError?) -> TierFailure {
        switch error {
        case .system(let error): .connect(error.description)
        case .tls(let reason): .tls(reason)
        case .truncated: .tls("closed during the handshake")
        case .handshakeTimedOut: .timeout(.dial)
        case nil: .connect("closed")
        }
    }
}

extension TierDialer: StreamHandler {
    func streamDidOpen(_ stream: Stream) {
        guard stream === self.stream else { return }
        self.stream = nil
        finish(.success(stream))
    }

    func streamDidBecomeReadable(_ stream: Stream) {}

    func streamDidDrain(_ stream: Stream) {}

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        self.stream = nil
        lastFailure = Self.failure(of: error)
        tryNext()
    }
}
