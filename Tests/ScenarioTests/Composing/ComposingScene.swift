import EventLoop
import Foundation
import Proxy
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Cache

/// A proxy before the simulated API, which counts what reaches it.
final class ComposingScene {
    private let counter: CountingResponder
    private let origin: ServiceHost
    let proxy: ProxyUnderTest
    let clock: ManualClock

    init(
        _ settings: CompositionSettings = CompositionSettings(), cache: ResponseCache? = nil, policy: Policy = Policy(),
        _ configure: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        configure(&configuration)
        let counter = CountingResponder(SimulatedAPI(configuration: configuration))
        self.counter = counter
        let clock = ManualClock(1_790_000_000)
        self.clock = clock
        origin = try ServiceHost(
            label: "simulated", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { context in SimulatorService(counter, context: context) }
        proxy = try ProxyUnderTest(
            originPort: Int(origin.address.port),
            cache: cache ?? ResponseCache(memory: MemoryTier(maxBytes: 32 << 20), store: nil), policy: policy,
            timeOfDay: TimeOfDay { [clock] in clock.unixSeconds }, composition: settings)
    }

    func stop() {
        proxy.stop()
        origin.stop()
    }

    /// The targets that reached the origin, in order.
    var upstream: [String] { counter.targets }
    var api: SimulatedAPI { counter.api }

    /// What the origin says directly, uncounted.
    func direct(_ target: String) -> NSObject? {
        let body = api.respond(to: SimulatorRequest(target: Array(target.utf8)), asOf: api.revision).body
        return try? JSONSerialization.jsonObject(with: Data(body)) as? NSObject
    }

    /// Asks the proxy, holds the answer against the origin's own, and gives its `Cache-Status` and how many requests it
    /// cost.
    @discardableResult
    func get(_ target: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> (status: String, cost: Int)
    {
        let before = upstream.count
        let reply = try proxy.client.send("GET", target)
        let status = reply.field("Cache-Status") ?? ""
        #expect(reply.json == direct(target), "\(target) \(status)", sourceLocation: sourceLocation)
        return (status, upstream.count - before)
    }
}

/// Passes requests on and remembers their targets.
final class CountingResponder: Responder {
    let api: SimulatedAPI
    private let seen = Mutex<[String]>([])

    init(_ api: SimulatedAPI) { self.api = api }

    var targets: [String] { seen.withLock { $0 } }

    func respond(to request: SimulatorRequest) -> SimulatorResponse {
        seen.withLock { $0.append(String(decoding: request.target, as: UTF8.self)) }
        return api.respond(to: request)
    }
}
