import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Compose
@testable import Proxy
@testable import Server
@testable import Simulator

/// A proxy before the simulated API, which counts the requests that reach it. Both stop with the
/// scene.
final class ComposingScene: ComparedScene {
    let api: SimulatedAPI
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
        api = SimulatedAPI.open(configure)
        counter = CountingResponder(api)
        clock = ManualClock(1_790_000_000)
        origin = try ServiceHost.serving(counter)
        let cache = cache ?? ResponseCache(mebibytes: 32)
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

    /// From now on the origin answers the target with other names than it shows elsewhere.
    func misname(_ target: String) { counter.misnamed.withLock { _ = $0.insert(target) } }

    /// The origin's own answer, as JSON values; it is not counted.
    func direct(_ target: String) -> NSObject? { api.values(target) }

    /// Under which the answer to a shared canonical target is stored.
    static func key(_ target: String) -> CacheKey { CacheKey(scope: .shared, target: Array(target.utf8)) }

    /// The first ids of a type that the chart of the storefront `us` has.
    func ids(_ type: String, _ count: Int) throws -> [String] { try api.ids(of: type, count) }
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

/// The lines that the proxy logged for its operator.
final class Warnings: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
