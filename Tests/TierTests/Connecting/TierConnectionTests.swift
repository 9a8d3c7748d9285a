import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Tier

@Suite(.timeLimit(.minutes(10))) struct TierConnectionTests {
    private static func echoed(_ text: String) -> [RESPReply] { [.bulk(text)] }

    @Test func commandsAreAnsweredOverOneConnection() async throws {
        let engine = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([engine.endpoint])
        // The first comes while it is dialled.
        #expect(await scene.echo("a") == Self.echoed("a"))
        #expect(await scene.begin([]).replies() == [])
        #expect(await scene.send(RESPCommand("ECHO", "b"), RESPCommand("ECHO", "c")) == [.bulk("b"), .bulk("c")])
        let outcomes = (0..<100).map { scene.begin([RESPCommand("ECHO", "\($0)")]) }
        for (number, outcome) in outcomes.enumerated() { #expect(await outcome.replies() == Self.echoed("\(number)")) }
        #expect(engine.connectionCount == 1)
        #expect(scene.lines == ["shared tier 127.0.0.1:\(engine.port): connected"])
        let status = scene.status
        #expect(status.commands == 103 && status.failures == 0 && status.latencyCount == 102)
        #expect(status.endpoint == engine.endpoint && status.lastError == nil && !status.isBreakerOpen)
    }

    @Test func masterIsFoundAmongTheAddressesOfOneName() async throws {
        let master = try FakeEngine(FakeEngine.master)
        let replica = try FakeEngine(on: 2, port: master.port) { number, words in
            words == ["ROLE"] ? [.send("*1\r\n$5\r\nslave\r\n")] : FakeEngine.master(number, words)
        }
        let addresses = try ["127.0.0.2", "127.0.0.1"].map { try #require(SocketAddress(host: $0, port: 0)) }
        let scene = try TierScene(
            [Endpoint(isTLS: false, host: "engines", port: master.port)],
            resolver: Resolver(ttl: .seconds(60)) { _ in .success(addresses) })
        scene.connected()
        #expect(replica.connectionCount == 1 && master.connectionCount == 1)
        waitUntil { replica.endedConnections == 1 }
        #expect(replica.commands == [])
    }

    @Test func hostThatHasNoAddressIsAFailure() async throws {
        let scene = try TierScene([Endpoint(isTLS: false, host: "", port: 1)])
        waitUntil { scene.status.lastError == "resolve" }
        #expect(await scene.echo("a", timeout: .milliseconds(1)) == nil)
    }

    @Test func lateRepliesOfAFrozenEngineAreDropped() async throws {
        let gate = DispatchSemaphore(value: 0)
        let engine = try FakeEngine { number, words in
            words == ["ECHO", "frozen"]
                ? [.wait(gate)] + FakeEngine.master(number, words) : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint])
        scene.connected()
        #expect(await scene.echo("frozen", timeout: .milliseconds(50)) == nil)
        gate.signal()
        scene.connected()
        #expect(await scene.echo("b") == Self.echoed("b"))
        let status = scene.status
        #expect(status.timeouts == 1 && status.reconnects == 1 && status.lastError == "timeout")
        #expect(scene.lines.count == 1)
    }

    @Test func closingEndsWhatWaits() async throws {
        let engine = try FakeEngine { number, words in
            words[0] == "ECHO" ? [.hold] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint])
        scene.connected()
        let waiting = scene.begin([RESPCommand("ECHO", "a")])
        scene.onLoop { $0.close() }
        #expect(await waiting.replies() == nil)
        #expect(await scene.echo("b") == nil)
        waitUntil { engine.endedConnections == 1 }
    }

    /// Two nodes of a cluster: the one that is named owns other slots.
    @Test func theOwnerOfTheKeysIsFoundAndFoundAgain() async throws {
        let owners = Mutex<[UInt16]>([])
        func node(_ number: Int) throws -> FakeEngine {
            try FakeEngine { connection, words in
                let (own, owner) = owners.withLock { ($0[number], $0.last!) }
                return own == owner || words[0] != "MGET" && words[0] != "ECHO"
                    ? FakeEngine.master(connection, words) : [.send("-MOVED 5 127.0.0.1:\(owner)\r\n")]
            }
        }
        let nodes = try (0..<3).map { try node($0) }
        owners.withLock { $0 = nodes.map(\.port) }
        let scene = try TierScene([nodes[0].endpoint])
        #expect(await scene.echo("a") == Self.echoed("a"))
        #expect(scene.status.endpoint == nodes[2].endpoint && scene.lines.count == 1)
        owners.withLock { $0.append(nodes[1].port) }
        #expect(await scene.echo("b") == nil)
        #expect(await scene.echo("c") == Self.echoed("c"))
        #expect(scene.status.endpoint == nodes[1].endpoint && scene.status.reconnects == 1)
        #expect(nodes[0].commands == [] && scene.lines.last == "shared tier \(nodes[1].endpoint): connected")
    }

    @Test func aProbeSaysWhyNoEngineCanBeUsed() throws {
        let sentinel = try FakeEngine { number, words in
            words == ["ROLE"] ? [.send("*1\r\n$8\r\nsentinel\r\n")] : [.send("-ERR unknown command\r\n")]
        }
        let master = try FakeEngine(FakeEngine.master)
        func complaints(
            _ engines: [FakeEngine], patience: Duration = .seconds(60), dialTime: Duration = .seconds(60)
        ) -> [String] {
            let settings = TierSettings(endpoints: engines.map(\.endpoint), nodeName: "a")
            return TierProbe.complaints(settings, patience: patience, dialTime: dialTime)
        }
        #expect(complaints([sentinel]).first?.contains("a Redis Sentinel, which holds no data") == true)
        #expect(complaints([master]).isEmpty && complaints([sentinel, master]).isEmpty)
        // One after the other, these took longer than the whole probe.
        let silent = try (0..<6).map { _ in try FakeEngine { _, _ in [.hold] } }
        #expect(complaints(silent + [master]).isEmpty)
        master.stop()
        let lines = complaints([sentinel, master])
        #expect(lines.count == 2 && lines[1].contains("unavailable"), "\(lines)")
        for (line, engine) in zip(lines, [sentinel, master]) {
            #expect(line.hasPrefix("shared tier \(engine.endpoint): "), "\(line)")
        }
        let slow = complaints([silent[0]], dialTime: .milliseconds(50))
        #expect(slow.count == 1 && slow[0].hasPrefix("shared tier \(silent[0].endpoint): unavailable"), "\(slow)")
        let none = complaints([silent[0]], patience: .milliseconds(50))
        #expect(none == ["shared tier \(silent[0].endpoint): no answer within 0 seconds"])
    }

    @Test func aCompletionMaySendAgain() async throws {
        let engine = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([engine.endpoint])
        let second = Outcome()
        scene.onLoop { connection in
            connection.send([RESPCommand("ECHO", "a")]) { [unowned connection] _ in
                connection.send([RESPCommand("ECHO", "b")]) { second.end($0) }
            }
        }
        #expect(await second.replies() == Self.echoed("b"))
    }
}
