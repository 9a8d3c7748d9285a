import EventLoop

/// Finds the address of a target that takes connections, before anything is measured: names are
/// looked up once, and a target that is not there is said at once. Confined to its loop.
final class FirstConnection: StreamHandler {
    private let plan: ReplayPlan
    private let loop: EventLoop
    private let completion: (Result<(Stream, SocketAddress), ReplayError>) -> Void
    private var left: ArraySlice<SocketAddress> = []
    private var address: SocketAddress?
    private var stream: Stream?
    private var timer: TimerToken?
    private let resolver = Resolver()

    /// - Parameter completion: called once, on the loop.
    init(
        _ plan: ReplayPlan, on loop: EventLoop,
        completion: @escaping (Result<(Stream, SocketAddress), ReplayError>) -> Void
    ) {
        self.plan = plan
        self.loop = loop
        self.completion = completion
    }

    func start() {
        let this = Confined(self, to: loop)
        resolver.resolve(host: plan.target.host, port: plan.target.port, on: loop) { @Sendable result in
            switch result {
            case .success(let addresses):
                this.value.left = addresses[...]
                this.value.next(after: "no address")
            case .failure(let error): this.value.fail(error.reason)
            }
        }
    }

    private func next(after reason: String) {
        if let timer { loop.cancel(timer) }
        guard let address = left.popFirst() else { return fail(reason) }
        self.address = address
        do throws(SystemError) {
            let tls = plan.tls.map { ($0, plan.target.host) }
            stream = try Stream.connect(to: address, tls: tls, loop: loop, handler: self)
            timer = loop.schedule(after: plan.timeout) { [weak self] in self?.giveUp() }
        } catch {
            next(after: error.description)
        }
    }

    private func giveUp() {
        let late = stream
        stream = nil
        late?.close()
        next(after: "timed out")
    }

    private func fail(_ reason: String) {
        completion(.failure(.unreachable(target: plan.targetInWords, reason: reason)))
    }

    func streamDidOpen(_ stream: Stream) {
        guard stream === self.stream, let address else { return }
        if let timer { loop.cancel(timer) }
        self.stream = nil
        completion(.success((stream, address)))
    }

    func streamDidBecomeReadable(_ stream: Stream) {}
    func streamDidDrain(_ stream: Stream) {}

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        self.stream = nil
        next(after: error?.inWords ?? "closed")
    }
}
