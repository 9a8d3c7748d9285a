import Cache
import Dispatch
import EventLoop
import Foundation
import Store
import TestSupport
import Testing

@testable import Admin
@testable import Proxy
@testable import Tier

/// The state of several nodes as an operator sees it.
@Suite(.timeLimit(.minutes(10))) struct NodesTests {
    /// A node, and the surface of its operator.
    private final class Node {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let node: ProxyNode
        let admin: AdminUnderTest
        private var hasEnded = false

        init(_ name: String, enginePort: UInt16) throws {
            let endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: enginePort)
            var settings = TierSettings(endpoints: [endpoint], nodeName: name)
            // A busy machine is no engine that is away.
            (settings.timeout, settings.limits.dialTimeout) = (.seconds(60), .seconds(60))
            let tier = SharedTier(settings) { _ in }
            let service = ServiceSettings(
                credentials: Credentials(developer: nil, musicUser: nil), policy: Policy(), origin: .none,
                authority: "127.0.0.1:1")
            var shared = SharedStores(cache, for: service)
            shared.tier = tier
            let identity = NodeIdentity(
                name: name, address: "\(name):8080", version: "1.0", process: 1, startedAt: 1,
                upstream: "http://\(name)")
            node = try ProxyNode(tier, identity, shared)
            admin = try AdminUnderTest(node: node)
        }

        deinit { end() }

        /// As a kill does: the others are not told.
        func end() {
            guard !hasEnded else { return }
            hasEnded = true
            let done = DispatchSemaphore(value: 0)
            node.stop(isReplaced: true) { done.signal() }
            done.waitOrFail()
        }
    }

    @Test(.requires(.redis)) func allOfThemAreShownAndPurged() throws {
        let engine = try RedisServer()
        let nodes = try ["a", "b"].map { try Node($0, enginePort: engine.port) }
        let admin = nodes[0].admin
        func listed() throws -> [[String: Any]] { try admin.object("/nodes")?["nodes"] as? [[String: Any]] ?? [] }
        waitUntil(within: 60) {
            nodes.allSatisfy { $0.node.status.readiness == .ready && $0.node.status.aliveCount == 2 }
                && (try? listed().allSatisfy { $0["ready"] as? Bool == true }) == true
        }
        let rows = try listed()
        #expect(rows.map { $0["name"] as? String } == ["a", "b"])
        #expect(rows.map { $0["self"] as? Bool } == [true, false])
        #expect(rows.map { $0["ready"] as? Bool } == [true, true] && rows[1]["address"] as? String == "b:8080")
        #expect(rows.map { $0["upstream"] as? String } == ["http://a", "http://b"])
        let tier = try #require(try admin.object("/stats")?["tier"] as? [String: Any])
        #expect(tier["standing"] as? String == "ready" && tier["nodes_alive"] as? Int == 2)
        #expect(tier["namesake"] is NSNull && tier["commands"] as? Int ?? 0 > 0)
        #expect(try admin.status("GET", "/readyz") == 200)

        let whole = try #require(try admin.purge(#"{"all":true}"#).json as? [String: Any])
        #expect(whole["nodes"] as? Int == 2 && whole["reached"] as? Int == 2 && whole["logged"] as? Bool == true)
        let accepted = try admin.purge(#"{"all":true,"wait":false}"#)
        let early = try #require(accepted.json as? [String: Any])
        #expect(accepted.status == 202 && early["accepted"] as? Bool == true && early["purged"] == nil)
        #expect(early["nodes"] as? Int == 2 && early["reached"] is NSNull && early["missing"] is NSNull)
        #expect(early["logged"] as? Bool == true && early["replicated"] as? Bool == false)
        nodes[1].end()
        let partial = try #require(try admin.purge(#"{"all":true}"#).json as? [String: Any])
        #expect(partial["nodes"] as? Int == 2 && partial["reached"] as? Int == 1)
        #expect((partial["missing"] as? [[String: Any]])?.map { $0["name"] as? String } == ["b"])
    }

    /// The node goes on, and each surface says that the engine accepts nothing.
    @Test(.requires(.redis)) func whatTheEngineRefusesIsSaid() async throws {
        let engine = try RedisServer()
        let node = try Node("a", enginePort: engine.port)
        waitUntil { node.node.status.readiness == .ready && node.node.status.aliveCount == 1 }
        try engine.fill()
        waitUntil { node.node.status.refusals.contains { $0.commands.contains("HSET") } }
        let ready = try node.admin.client.send("GET", "/readyz")
        #expect(ready.status == 200 && ready.text.hasPrefix("ready; the engine refuses "))
        #expect(ready.text.contains("HSET (oom) since 20"))
        let refusing = try #require(try node.admin.object("/nodes")?["refusing"] as? [[String: Any]])
        #expect(refusing.map { $0["kind"] as? String } == ["oom"])
        #expect((refusing[0]["words"] as? String)?.hasPrefix("OOM command not allowed") == true)
        let tier = try #require(try node.admin.object("/stats")?["tier"] as? [String: Any])
        #expect((tier["refusals"] as? [String: Int])?["oom"] ?? 0 > 0)
        #expect((tier["words"] as? String)?.contains("the engine refuses") == true)
        try engine.refuseNothing()
        waitUntil { node.node.status.refusals.isEmpty }
        #expect(try node.admin.client.send("GET", "/readyz").text == "ready\n")
    }

    /// The node asked four times a second for a purge that its file, no longer its own, refused.
    @Test(.requires(.redis)) func aNodeThatIsReplacedFollowsTheLogNoMore() throws {
        let engine = try RedisServer()
        let nodes = try ["a", "b"].map { try Node($0, enginePort: engine.port) }
        waitUntil { nodes.allSatisfy { $0.node.status.readiness == .ready && $0.node.status.aliveCount == 2 } }
        nodes[1].node.stopFollowing()
        let partial = try #require(try nodes[0].admin.purge(#"{"all":true}"#).json as? [String: Any])
        #expect(partial["nodes"] as? Int == 2 && partial["reached"] as? Int == 1)
        nodes[1].end()
    }

    @Test func whereThereIsNoTierThatIsSaid() throws {
        let admin = try AdminUnderTest()
        let reply = try admin.client.send("GET", "/nodes")
        #expect(reply.status == 404 && reply.error?["detail"]?.contains("is not configured") == true)
        #expect(try admin.object("/stats")?["tier"] is NSNull)
    }

    /// A busy machine may ask the node ten seconds late, when it is ready without an engine.
    @Test func aNodeThatDoesNotKnowThePurgesSaysSo() throws {
        let port = try RawSocket.freePort()
        while true {
            let began = ContinuousClock.now
            let node = try Node("a", enginePort: port)
            defer { node.end() }
            let reply = try node.admin.client.send("GET", "/readyz")
            guard ContinuousClock.now - began < .seconds(10) else { continue }
            #expect(reply.status == 503)
            #expect(reply.text.hasPrefix("engine away since 20"))
            // The nodes are not known yet.
            let report = try #require(try node.admin.purge(#"{"all":true}"#).json as? [String: Any])
            #expect(report["nodes"] is NSNull && report["reached"] is NSNull && report["logged"] as? Bool == false)
            let early = try node.admin.purge(#"{"all":true,"wait":false}"#)
            #expect(early.status == 202 && (early.json as? [String: Any])?["logged"] as? Bool == false)
            let tier = try #require(try node.admin.object("/stats")?["tier"] as? [String: Any])
            #expect(tier["standing"] as? String == "engine-away")
            // The node has no clients: the errors are of the connection that follows the log.
            waitUntil { (try? node.admin.object("/stats")?["tier"] as? [String: Any])?["last_error"] is String }
            let later = try #require(try node.admin.object("/stats")?["tier"] as? [String: Any])
            #expect(later["last_error"] as? String == "connect" && later["failures"] as? Int ?? 0 > 0)
            return
        }
    }
}
