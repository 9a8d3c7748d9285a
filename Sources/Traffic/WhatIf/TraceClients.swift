import EventLoop
import HTTP
import Synchronization
import Upstream

/// The clients of a recording: send each request when it is due, over as many connections as that
/// takes. Confined to its loop.
final class TraceClients {
    private let traffic: RecordedTraffic
    private let pool: UpstreamPool
    private let loop: EventLoop
    private let completion: () -> Void
    private var next = 0
    private var outstanding = 0
    /// Copy of `next` for other threads.
    let sent = Atomic(0)
    private(set) var failed = 0
    /// Bytes of content.
    private(set) var bytes = 0

    /// - Parameter completion: called once, when all requests have been answered.
    init(_ traffic: RecordedTraffic, _ pool: UpstreamPool, _ loop: EventLoop, _ completion: @escaping () -> Void) {
        (self.traffic, self.pool, self.loop, self.completion) = (traffic, pool, loop, completion)
    }

    /// The clients' way to the proxy: long timeouts, many connections, and no bound on waiting
    /// requests.
    static func settings(of endpoint: Endpoint) -> UpstreamSettings {
        var settings = UpstreamSettings(endpoint: endpoint, maxConnections: 4096)
        settings.timeouts.response = .seconds(120)
        settings.timeouts.content = .seconds(120)
        settings.maxWaiting = .max
        return settings
    }

    func start() {
        guard traffic.count > 0 else { return completion() }
        sendDue()
    }

    private func sendDue() {
        let elapsed = loop.now - VirtualTime.start
        while next < traffic.count, traffic.due(next) <= elapsed {
            outstanding += 1
            let (method, head) = traffic.request(next)
            _ = pool.send(UpstreamRequest(method: method, head: head), to: self)
            next += 1
        }
        sent.store(next, ordering: .relaxed)
        guard next < traffic.count else { return }
        loop.schedule(at: VirtualTime.start + traffic.due(next)) { [self] in sendDue() }
    }

    private func end(isFailure: Bool) {
        if isFailure { failed += 1 }
        outstanding -= 1
        if outstanding == 0, next == traffic.count { completion() }
    }
}

extension TraceClients: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
        switch event {
        case .interim: break
        case .answered(let response):
            bytes += response.body.count
            end(isFailure: response.status >= 500)
        case .began(let response): bytes += response.body.count
        case .received(let bytes): self.bytes += bytes.count
        case .finished: end(isFailure: false)
        case .failed: end(isFailure: true)
        }
    }
}
