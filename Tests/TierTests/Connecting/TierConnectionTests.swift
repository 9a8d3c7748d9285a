import Dispatch
import TestSupport
import Testing

@testable import EventLoop
@testable import Tier

/// The connection with real sockets, and engines that do what the test says.
@Suite(.timeLimit(.minutes(10))) struct TierConnectionTests {
    private static func echoed(_ text: String) -> [RESPReply] { [.bulk(text)] }

    @Test func commandsAreAnsweredOverOneConnection() async throws {
        let engine = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([engine.endpoint])
        // The first comes while it is dialled.
        #expect(await scene.echo("a") == Self.echoed("a"))
        #expect(await scene.send(RESPCommand("ECHO", "b"), RESPCommand("ECHO", "c")) == [.bulk("b"), .bulk("c")])
        let outcomes = (0..<100).map { scene.begin([RESPCommand("ECHO", "\($0)")]) }
        for (number, outcome) in outcomes.enumerated() { #expect(await outcome.replies() == Self.echoed("\(number)")) }
        #expect(engine.connectionCount == 1)
        #expect(scene.lines == ["shared tier 127.0.0.1:\(engine.port): connected"])
        let status = scene.status
        #expect(status.commands == 103 && status.failures == 0 && status.latencyCount == 102)
        #expect(status.endpoint == engine.endpoint && status.lastError == nil && !status.isBreakerOpen)
    }

    @Test func noCommandsAreNoReplies() async throws {
        let engine = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([engine.endpoint])
        #expect(await scene.begin([]).replies() == [])
    }

    @Test func credentialsAreSentFirst() async throws {
        let engine = try FakeEngine { number, words in
            words[0] == "AUTH" && words != ["AUTH", "u", "p"] ? [.close] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint]) {
            $0.user = Array("u".utf8)
            $0.password = Array("p".utf8)
        }
        #expect(await scene.echo("a") == Self.echoed("a"))
    }

    @Test func largeValuesGoBothWays() async throws {
        let engine = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([engine.endpoint])
        let text = String(repeating: "0123456789abcdef", count: 1 << 19)
        #expect(await scene.echo(text) == Self.echoed(text))
        #expect(scene.status.waitingBytes == 0)
    }

    @Test func repliesThatComeByteByByteAreWhole() async throws {
        let engine = try FakeEngine { number, words in
            FakeEngine.master(number, words).flatMap { act -> [FakeEngine.Act] in
                guard case .send(let bytes) = act else { return [act] }
                return bytes.map { .send([$0]) }
            }
        }
        let scene = try TierScene([engine.endpoint])
        #expect(await scene.echo("abc\r\ndef") == Self.echoed("abc\r\ndef"))
        #expect(scene.status.reconnects == 0)
    }

    // MARK: Which engine

    @Test func theMasterIsFoundBehindAReplica() async throws {
        let replica = try FakeEngine { number, words in
            words == ["ROLE"] ? [.send("*2\r\n$5\r\nslave\r\n$1\r\na\r\n")] : FakeEngine.master(number, words)
        }
        let master = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([replica.endpoint, master.endpoint])
        #expect(await scene.echo("a") == Self.echoed("a"))
        #expect(scene.lines == ["shared tier 127.0.0.1:\(master.port): connected"])
        waitUntil { replica.endedConnections == replica.connectionCount }
        #expect(replica.commands == [])
    }

    @Test func theMasterIsFoundBehindAnEngineThatIsAway() async throws {
        let away = try FakeEngine(FakeEngine.master)
        away.stop()
        let master = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([away.endpoint, master.endpoint])
        #expect(await scene.echo("a") == Self.echoed("a"))
        #expect(scene.status.endpoint == master.endpoint)
    }

    @Test func whoBecomesAReplicaIsLeft() async throws {
        let old = try FakeEngine { number, words in
            words[0] == "ECHO" ? [.send("-READONLY You can't write\r\n")] : FakeEngine.master(number, words)
        }
        let new = try FakeEngine(FakeEngine.master)
        let scene = try TierScene([old.endpoint, new.endpoint])
        #expect(await scene.echo("a") == [.error(code: "READONLY", text: "You can't write")])
        waitUntil { scene.status.endpoint == new.endpoint }
        #expect(await scene.echo("b") == Self.echoed("b"))
    }

    @Test func wrongPasswordIsSaidAndTriedAgain() async throws {
        let engine = try FakeEngine { number, words in
            let isRefused = number < 2
            return isRefused && words[0] == "AUTH" ? [.send("-WRONGPASS no\r\n")] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint]) { $0.password = Array("p".utf8) }
        scene.connected()
        let name = "shared tier 127.0.0.1:\(engine.port)"
        #expect(
            scene.lines == ["\(name): not usable: refused (WRONGPASS); going on without", "\(name): connected"])
        #expect(await scene.echo("a") == Self.echoed("a"))
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
    }

    @Test func hostThatHasNoAddressIsAFailure() async throws {
        let scene = try TierScene([Endpoint(isTLS: false, host: "", port: 1)])
        waitUntil { scene.status.lastError == "resolve" }
        #expect(await scene.echo("a", timeout: .milliseconds(1)) == nil)
    }

    // MARK: Engines that break

    @Test func frozenEngineCostsTheTimeoutAndItsLateRepliesAreNobodys() async throws {
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

    @Test func engineThatAcceptsAndSaysNothingIsFoundOut() async throws {
        let engine = try FakeEngine { _, _ in [.hold] }
        let scene = try TierScene([engine.endpoint]) { $0.timeout = .milliseconds(20) }
        waitUntil { scene.status.isBreakerOpen }
        #expect(scene.status.lastError == "timeout")
        #expect(scene.lines.count == 1)
        // Nobody waits for it any more, however long they would.
        #expect(await scene.echo("a", timeout: TierScene.patient) == nil)
    }

    @Test(arguments: ["garbage\r\n", "$5\r\nab\r\n\r\n\r\n", ":12x\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n"])
    func garbageIsNoAnswer(text: String) async throws {
        let engine = try FakeEngine { number, words in
            words == ["ECHO", "x"] ? [.send(text)] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint])
        #expect(await scene.echo("x") == nil)
        #expect(scene.status.lastError == "malformed")
        scene.connected()
        #expect(await scene.echo("b") == Self.echoed("b"))
    }

    @Test func replyThatIsCutIsNoAnswer() async throws {
        let engine = try FakeEngine { number, words in
            words == ["ECHO", "x"] ? [.send("$100\r\nabc"), .close] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint])
        #expect(await scene.echo("x") == nil)
        #expect(scene.status.lastError == "closed")
        scene.connected()
        #expect(await scene.echo("b") == Self.echoed("b"))
    }

    @Test func engineThatClosesAfterEachReplyIsUsedAllTheSame() async throws {
        let engine = try FakeEngine { number, words in
            FakeEngine.master(number, words) + (words[0] == "ECHO" ? [.close] : [])
        }
        let scene = try TierScene([engine.endpoint])
        for number in 0..<4 {
            #expect(await scene.echo("\(number)") == Self.echoed("\(number)"))
            waitUntil { scene.status.reconnects == number + 1 }
        }
        // Nothing was lost, so there is nothing to tell.
        #expect(scene.lines.count == 1 && scene.status.failures == 0 && !scene.status.isBreakerOpen)
    }

    /// A reply more than there are commands: all that follow would be one too early.
    @Test func repliesThatAreShiftedByOneEndTheConnection() async throws {
        let engine = try FakeEngine { number, words in
            words == ["ECHO", "x"] ? [.send("$1\r\nx\r\n$1\r\nx\r\n")] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint])
        #expect(await scene.echo("x") == Self.echoed("x"))
        waitUntil { scene.status.reconnects == 1 }
        #expect(scene.status.lastError == "surplus")
        #expect(await scene.echo("b") == Self.echoed("b"))
    }

    @Test func engineThatSpeaksBeforeItIsAskedIsNotUsed() async throws {
        let engine = try FakeEngine { number, words in
            words == ["CLIENT", "SETNAME", "refrain-a"] && number == 0
                ? [.send("+OK\r\n+OK\r\n")] : FakeEngine.master(number, words)
        }
        let scene = try TierScene([engine.endpoint])
        #expect(await scene.echo("a") == Self.echoed("a"))
        #expect(engine.connectionCount == 2 && engine.commands == [["ECHO", "a"]])
    }

    // MARK: The end

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

    @Test func whatACompletionSendsGoesBehindIt() async throws {
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
