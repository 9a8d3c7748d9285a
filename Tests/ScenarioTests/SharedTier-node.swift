import Cache
import EventLoop
import Proxy
import Purging
import Server
import TestSupport

@testable import Tier

extension SharedTier {
    /// The tier of a node that knows nothing of the log of purges (`beginLog`).
    convenience init(ofNode number: Int, _ engine: RedisServer) {
        let endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: engine.port)
        var settings = TierSettings(endpoints: [endpoint], nodeName: "node\(number)")
        // A busy machine is no engine that is away.
        (settings.timeout, settings.limits.dialTimeout) = (.seconds(60), .seconds(60))
        self.init(settings) { _ in }
    }

    /// The node of this cache knows the log from its beginning, with nothing in it.
    func beginLog(in cache: ResponseCache) {
        let epoch = LogEpoch(number: 1)
        knowledge.begin(epoch, forgottenUntil: .start, in: cache.purges)
        knowledge.move(to: LogMark(epoch, .start), mayTake: true)
    }
}

/// Proxies before one origin that share an engine. They know its log from its beginning, with
/// nothing in it.
final class SharingProxies {
    let engine: RedisServer
    let origin: FakeOrigin
    private(set) var nodes: [ProxyUnderTest] = []
    var tiers: [SharedTier] { nodes.compactMap(\.settings.shared.tier) }

    /// - Parameter ahead: of the first node's clock, in seconds.
    init(
        _ count: Int, ahead: Int64 = 0, policy: Policy = Policy(),
        _ answer: @escaping @Sendable (FakeOrigin.Request) -> FakeOrigin.Reply
    ) throws {
        engine = try RedisServer()
        origin = try FakeOrigin(answer)
        for index in 0..<count {
            let clock = TimeOfDay { TimeOfDay.system.unixSeconds() + (index == 0 ? ahead : 0) }
            let tier = SharedTier(ofNode: index, engine)
            nodes.append(try ProxyUnderTest(before: origin, policy: policy, timeOfDay: clock, tier: tier))
            tier.beginLog(in: nodes[index].cache)
        }
    }

    deinit { for node in nodes { node.stop() } }

    func get(_ node: Int, _ target: String) throws -> HTTPTestClient.Reply {
        try nodes[node].client.send("GET", target)
    }
}
