import Cache
import Compose
import Foundation
import Proxy
import Server
import Simulator
import Synchronization
import TestSupport
import Testing

/// A proxy before the simulated API, which counts requests. Both stop with the scene.
final class ComposingScene: ComparedScene {
    let api: SimulatedAPI
    private let counter: CountingResponder
    private let origin: ServiceHost
    private let makeProxy: (ResponseCache, CompositionSettings.Mode) throws -> ProxyUnderTest
    private(set) var proxy: ProxyUnderTest
    var cache: ResponseCache { proxy.cache }
    let clock = ManualClock(1_790_000_000)
    let warnings = Warnings()

    init(
        _ settings: CompositionSettings = .byExample(), cache: ResponseCache = ResponseCache(mebibytes: 32),
        policy: Policy = Policy(), clientKeys: ClientKeys? = nil, logFormat: AccessLogFormat = .combined,
        _ configure: (inout SimulatorConfiguration) -> Void = { _ in },
        instead: @escaping CountingResponder.Instead = { _, _ in nil }
    ) throws {
        api = SimulatedAPI.open(configure)
        counter = CountingResponder(api, instead: instead)
        origin = try ServiceHost.serving(counter)
        makeProxy = { [origin, clock, warnings] cache, mode in
            var settings = settings
            settings.compose = mode
            return try ProxyUnderTest(
                originPort: Int(origin.address.port), cache: cache, policy: policy,
                timeOfDay: TimeOfDay { clock.unixSeconds }, composition: settings, clientKeys: clientKeys,
                logFormat: logFormat,
                warn: { warnings.add($0) })
        }
        proxy = try makeProxy(cache, settings.compose)
    }

    /// Another proxy, with `compose on`, before the same origin, as after a restart.
    func restart(_ makeCache: () -> ResponseCache) throws {
        proxy.stop()
        proxy = try makeProxy(makeCache(), .on)
    }

    deinit {
        proxy.stop()
        origin.stop()
    }

    /// The targets that reached the origin, in order.
    var upstream: [String] { counter.targets }

    /// From now on the origin answers the target with other names than it shows elsewhere.
    func misname(_ target: String) { counter.misnamed.withLock { _ = $0.insert(target) } }

    func direct(_ target: String) -> NSObject? { api.values(target) }

    /// Under which the answer to a shared canonical target is stored.
    static func key(_ target: String) -> CacheKey { CacheKey(of: .none, scope: .shared, target: Array(target.utf8)) }

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
    /// Asks the proxy and compares with the origin; `Cache-Status`, and the requests it cost.
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
