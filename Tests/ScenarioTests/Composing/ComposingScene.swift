import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Compose
@testable import EventLoop
@testable import Proxy
@testable import Server
@testable import Simulator

/// A proxy before the simulated API, which counts the requests that reach it. Both stop with the
/// scene.
final class ComposingScene: ComparedScene {
    private let counter: CountingResponder
    private let origin: ServiceHost
    private(set) var proxy: ProxyUnderTest
    private(set) var cache: ResponseCache
    let clock: ManualClock
    let warnings = Warnings()
    private var settings: CompositionSettings
    private let policy: Policy

    init(
        _ settings: CompositionSettings = CompositionSettings(), cache: ResponseCache? = nil, policy: Policy = Policy(),
        _ configure: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws {
        counter = CountingResponder(SimulatedAPI.open(configure))
        clock = ManualClock(1_790_000_000)
        origin = try ServiceHost.serving(counter)
        let cache = cache ?? ResponseCache(memory: MemoryTier(maxBytes: 32 << 20), store: nil)
        (self.cache, self.settings, self.policy) = (cache, settings, policy)
        proxy = try Self.proxy(before: origin, cache, settings, policy, clock, warnings)
    }

    /// Another proxy before the same origin, as after a restart.
    func restart(_ makeCache: () -> ResponseCache, _ mode: CompositionSettings.Mode? = nil) throws {
        proxy.stop()
        if let mode { settings.compose = mode }
        cache = makeCache()
        proxy = try Self.proxy(before: origin, cache, settings, policy, clock, warnings)
    }

    private static func proxy(
        before origin: ServiceHost, _ cache: ResponseCache, _ settings: CompositionSettings, _ policy: Policy,
        _ clock: ManualClock, _ warnings: Warnings
    ) throws -> ProxyUnderTest {
        try ProxyUnderTest(
            originPort: Int(origin.address.port), cache: cache, policy: policy,
            timeOfDay: TimeOfDay { clock.unixSeconds }, composition: settings, warn: { warnings.add($0) })
    }

    deinit {
        proxy.stop()
        origin.stop()
    }

    /// The targets that reached the origin, in order.
    var upstream: [String] { counter.targets }
    var api: SimulatedAPI { counter.api }

    /// From now on the origin answers the target with other names than it shows elsewhere.
    func misname(_ target: String) { counter.misnamed.withLock { _ = $0.insert(target) } }

    /// The origin's own answer, as JSON values; it is not counted.
    func direct(_ target: String) -> NSObject? {
        let body = api.respond(to: SimulatorRequest(target: Array(target.utf8)), asOf: api.revision).body
        return try? JSONSerialization.jsonObject(with: Data(body)) as? NSObject
    }

    /// Under which the answer to a shared canonical target is stored.
    static func key(_ target: String) -> CacheKey { CacheKey(scope: .shared, target: Array(target.utf8)) }

    /// The first ids of a type that the chart of the storefront `us` has.
    func ids(_ type: String, _ count: Int) throws -> [String] {
        let chart = try #require(direct("/v1/catalog/us/charts?types=\(type)&limit=100") as? [String: Any])
        let charts = try #require((chart["results"] as? [String: Any])?[type] as? [[String: Any]])
        let data = try #require(charts.first?["data"] as? [[String: Any]])
        let ids = Array(data.compactMap { $0["id"] as? String }.prefix(count))
        try #require(ids.count == count)
        return ids
    }
}

/// A proxy before an origin that can be asked directly too.
protocol ComparedScene {
    var proxy: ProxyUnderTest { get }
    /// The targets that reached the origin, in order.
    var upstream: [String] { get }
    /// The origin's own answer, as JSON values.
    func direct(_ target: String) -> NSObject?
}

extension ComparedScene {
    /// Asks the proxy, holds the answer against the origin's own, and gives its `Cache-Status` and
    /// how many requests it cost.
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
    /// Targets that are answered with other names than the catalog has, until further notice.
    let misnamed = Mutex<Set<String>>([])
    private let seen = Mutex<[String]>([])

    init(_ api: SimulatedAPI) { self.api = api }

    var targets: [String] { seen.withLock { $0 } }

    func respond(to request: SimulatorRequest) -> SimulatorResponse {
        let target = String(decoding: request.target, as: UTF8.self)
        seen.withLock { $0.append(target) }
        var response = api.respond(to: request)
        guard misnamed.withLock({ $0.contains(target) }) else { return response }
        let body = String(decoding: response.body, as: UTF8.self)
        response.body = Array(body.replacing("\"name\":\"", with: "\"name\":\"Other ").utf8)
        return response
    }
}

/// The lines that the proxy logged for its operator.
final class Warnings: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
