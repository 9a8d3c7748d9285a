import EventLoop
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Proxy
@testable import Tier

/// Nodes whose budgets meet in a real engine.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct SharedBudgetTests {
    /// As much of a node as asks the origin.
    private final class Node: @unchecked Sendable {  // because all but `count` is touched on its loop
        let budget = UpstreamBudget()
        let count = NodeCount()
        private let loop: EventLoop
        private var connection: TierConnection?
        private var shared: SharedBudget?
        private var gate: UpstreamGate?

        init(_ name: String, engine: UInt16, origin: UInt16) throws {
            loop = try EventLoop(label: name)
            let endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: engine)
            var settings = TierSettings(endpoints: [endpoint], nodeName: name)
            // A busy machine is no engine that is away.
            (settings.timeout, settings.limits.dialTimeout) = (.seconds(600), .seconds(600))
            var asking = UpstreamSettings(
                endpoint: Endpoint(isTLS: false, host: "127.0.0.1", port: origin), maxConnections: 4)
            asking.timeouts.connect = .seconds(Patience.seconds(60))
            let upstream = asking
            let tier = settings
            loop.sync {
                let connection = TierConnection(tier, loop: loop) { _ in }
                self.connection = connection
                shared = SharedBudget(budget, over: connection, tier, nodes: count, loop: loop)
                let pool = UpstreamPool(settings: upstream, tls: nil, loop: loop, resolver: Resolver())
                gate = UpstreamGate(pool: pool, budget: budget, observer: Statistics())
            }
        }

        func stop() {
            loop.sync {
                shared?.stop()
                connection?.close()
                (gate, shared, connection) = (nil, nil, nil)
            }
            loop.stop()
        }

        /// The status of the answer; nil where there was none.
        func get(_ target: String) async -> Int? {
            let head = Array("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            let receiver = StatusReceiver()
            loop.sync {
                _ = gate?.send(
                    UpstreamRequest(method: .get, head: head), priority: .waitingClient,
                    label: UpstreamLabel(resourceClass: 0, purpose: 0, route: 0, spender: .everyone),
                    deadline: loop.now + .seconds(600),
                    to: receiver)
            }
            for await status in receiver.statuses.stream { return status }
            return nil
        }
    }

    private final class StatusReceiver: UpstreamReceiver {
        let statuses = AsyncStream<Int?>.makeStream()

        func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
            switch event {
            case .answered(let response): statuses.continuation.yield(response.status)
            case .failed: statuses.continuation.yield(nil)
            case .interim, .began, .received, .finished: break
            }
        }
    }

    /// Answers 429 to the first request of all.
    private static func origin() throws -> ScriptedOrigin {
        let isFirst = Atomic<Bool>(true)
        return try ScriptedOrigin([
            .serve { _ in
                let status = isFirst.exchange(false, ordering: .relaxed) ? 429 : 200
                return Array("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\n{}".utf8)
            }
        ])
    }

    @Test func nodesShareALimitThatOutlivesTheEngine() async throws {
        let (engine, origin) = (try RedisServer(), try Self.origin())
        let nodes = try ["a", "b"].map { try Node($0, engine: engine.port, origin: origin.port) }
        defer { for node in nodes { node.stop() } }
        waitUntil { nodes.allSatisfy { $0.count.alive == 2 } }
        #expect(nodes.allSatisfy { $0.budget.snapshot.rate == nil })
        // The first is answered 429, and sent again.
        #expect(await nodes[0].get("/a") == 200)
        waitUntil { nodes.allSatisfy { $0.budget.snapshot.rate == 4 } }
        for number in 0..<4 { #expect(await nodes[number % 2].get("/\(number)") == 200) }
        engine.kill()
        waitUntil { nodes.allSatisfy { $0.budget.snapshot.rate == 2 } }
        for node in nodes { #expect(await node.get("/b") == 200) }
        // It has lost its memory, and is told the limit.
        try engine.start()
        waitUntil { nodes.allSatisfy { $0.budget.snapshot.rate ?? 0 >= 4 } }
        #expect(await nodes[1].get("/c") == 200)
    }
}
