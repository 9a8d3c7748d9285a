import EventLoop
import HTTP
import Recording
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
    private(set) var failed = 0
    /// Of content.
    private(set) var bytes = 0

    /// - Parameter completion: called once, when all requests have been answered.
    init(_ traffic: RecordedTraffic, _ pool: UpstreamPool, _ loop: EventLoop, _ completion: @escaping () -> Void) {
        self.traffic = traffic
        self.pool = pool
        self.loop = loop
        self.completion = completion
    }

    /// How the clients reach the proxy: as patient as clients are, and as many as there are.
    static func settings(of endpoint: Endpoint) -> UpstreamSettings {
        var settings = UpstreamSettings(endpoint: endpoint, maxConnections: 4096)
        settings.firstByteTimeout = .seconds(120)
        settings.contentTimeout = .seconds(120)
        settings.wholeTimeout = .seconds(300)
        settings.maxWaiting = .max
        return settings
    }

    func start() {
        guard !traffic.requests.isEmpty else { return completion() }
        sendDue()
    }

    private func sendDue() {
        let elapsed = loop.now - VirtualTime.start
        while next < traffic.requests.count, traffic.requests[next].due <= elapsed {
            outstanding += 1
            _ = pool.send(Self.request(traffic.requests[next]), to: self)
            next += 1
        }
        guard next < traffic.requests.count else { return }
        loop.schedule(at: VirtualTime.start + traffic.requests[next].due) { [self] in sendDue() }
    }

    private static func request(_ request: RecordedTraffic.Request) -> UpstreamRequest {
        var head = request.method + " " + request.target + " HTTP/1.1\r\nHost: what-if\r\n"
        for field in request.fields { head += field.name + ": " + field.value + "\r\n" }
        let method = Method.allCases.first { $0.text.description == request.method } ?? .other
        if !method.isSafe { head += "Content-Length: 0\r\n" }
        return UpstreamRequest(method: method, head: Array((head + "\r\n").utf8))
    }

    private func end(isFailure: Bool) {
        if isFailure { failed += 1 }
        outstanding -= 1
        if outstanding == 0, next == traffic.requests.count { completion() }
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
