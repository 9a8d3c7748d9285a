import EventLoop
import Testing

@testable import Tier

/// Scripts: an event, the actions it must lead to, the next event. How a connection comes about.
@Suite struct SessionConnectingTests {
    private typealias Script = SessionScript
    private let refused = TierFailure.dial(.connect("refused"))

    @Test func onlyAGreetedMasterIsUsed() {
        var script = Script()
        #expect(script.start() == [.dial(Script.a)])
        #expect(script.ask(1) == [])
        #expect(script.state.opened(now: script.now) == [Script.greeting])
        #expect(script.ask(2) == [])
        #expect(script.receive(Script.ok) == [])
        #expect(!script.state.status.isConnected)
        let master = String(Script.master.dropFirst(Script.ok.count))
        #expect(
            script.receive(master) == [
                .report(.connected(Script.a)), Script.wire(Script.get(1)), Script.wire(Script.get(2)),
            ])
        #expect(script.state.status.endpoint == Script.a)
        #expect(script.start() == [])
        script = Script.started([Script.a, Script.b])
        #expect(script.greet(Script.replica) == [.close, .dial(Script.b)])
        #expect(script.greet() == [.report(.connected(Script.b))])
        #expect(script.state.status.endpoint == Script.b)
        #expect(script.state.status.lastError == "not-master")
        #expect(script.state.status.reconnects == 0)
    }

    @Test(arguments: [
        (
            "-NOAUTH Authentication required.\r\n-NOAUTH Authentication required.\r\n" + SessionScript.none,
            TierFailure.refused(EngineRefusal("ROLE", code: "NOAUTH", text: "Authentication required."))
        ),
        (
            "-ERR max number of clients reached\r\n",
            .refused(EngineRefusal("connect", code: "ERR", text: "max number of clients reached"))
        ), ("+OK\r\n+OK\r\n" + SessionScript.none, .role("unknown")),
        ("SSH-2.0-OpenSSH\r\n", .malformed(.kind)), (SessionScript.master + "+OK\r\n", .surplus),
        (SessionScript.master + "+", .surplus),
    ])
    func anEngineThatGreetsBadlyIsNotUsed(replies: String, failure: TierFailure) {
        var script = Script.started()
        _ = script.ask(1)
        let refused: [SessionState.Action] = if case .refused(let refusal) = failure { [.refused(refusal)] } else { [] }
        #expect(script.greet(replies) == [.close] + refused + [Script.unusable(failure)] + Script.fail(1))
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
        #expect(script.state.status.lastError == failure.word)
    }

    @Test func diallingAndGreetingHaveTheirTime() {
        var script = Script.started([Script.a, Script.b])
        _ = script.state.opened(now: script.now)
        #expect(script.wait(.milliseconds(49)) == [])
        #expect(script.wait(.milliseconds(1)) == [.close, .dial(Script.b)])
        #expect(script.state.status.lastError == "timeout")
        script = Script.started([Script.a, Script.b])
        _ = script.state.opened(now: script.now)
        #expect(script.lose() == [.dial(Script.b)])
        script = Script.started([Script.a, Script.b])
        #expect(script.wait(.milliseconds(999)) == [])
        #expect(script.wait(.milliseconds(1)) == [.close, .dial(Script.b)])
        #expect(script.wait(.seconds(1)) == [.close, Script.unusable(.dial(.timedOut), Script.b)])
    }

    @Test func pausesBetweenRoundsDoubleUpToASecond() {
        var script = Script.started([Script.a, Script.b])
        for pause in [100, 200, 400, 800, 1000, 1000] {
            #expect(script.refuse() == [.dial(Script.b)])
            let report = pause == 100 ? [Script.unusable(refused, Script.b)] : []
            #expect(script.refuse() == report)
            #expect(script.wait(.milliseconds(pause) - .nanoseconds(1)) == [])
            #expect(script.wait(.nanoseconds(1)) == [.dial(Script.a)])
        }
        script = Script.started()
        for _ in 0..<3 {
            _ = script.refuse()
            _ = script.wait(.seconds(1))
        }
        #expect(script.greet() == [.report(.connected(Script.a))])
        _ = script.ask(1)
        _ = script.receive("$-1\r\n")
        #expect(script.lose() == [])
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
    }

    @Test func oneConnectionIsDialledAtATimeUntilTheEnd() {
        var script = Script.ready()
        #expect(script.state.opened(now: script.now) == [])
        #expect(script.refuse() == [])
        #expect(script.lose() == [])
        #expect(script.lose() == [] && script.refuse() == [])
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
        #expect(script.lose() == [] && script.receive("+OK\r\n") == [])
        script = Script.asked(1)
        #expect(script.state.stop() == [.close] + Script.fail(1))
        #expect(script.state.stop() == [] && script.ask(2) == Script.fail(2))
        #expect(script.start() == [] && script.wait(.seconds(10)) == [])
        #expect(script.state.wakeAt == nil)
        #expect(script.state.status.waiting == 0 && script.state.status.waitingBytes == 0)
    }

    @Test func onlyChangesOfHealthAreReported() {
        var script = Script.ready()
        // Lost and found again.
        #expect(script.lose() == [])
        script.reconnect()
        #expect(script.state.status.reconnects == 1)
        // Lost, and away for long.
        #expect(script.lose() == [])
        _ = script.wait(.milliseconds(200))
        #expect(script.refuse() == [Script.unusable(refused)])
        _ = script.wait(.seconds(1))
        #expect(script.refuse(.timedOut) == [])
        _ = script.wait(.seconds(1))
        #expect(script.greet() == [.report(.connected(Script.a))])
        script = Script.ready([Script.a, Script.b])
        #expect(script.lose() == [])
        _ = script.wait(.milliseconds(100))
        #expect(script.refuse() == [.dial(Script.b)])
        #expect(script.greet() == [.report(.connected(Script.b))])
        #expect("\(SessionState.Usability.connected(Script.a))" == "shared tier a:6379: connected")
        let v6 = Endpoint(isTLS: true, host: "::1", port: 6380)
        #expect(
            "\(SessionState.Usability.unusable(v6, .timeout(.reply)))"
                == "shared tier [::1]:6380: unavailable: the reply timed out; continuing without it")
    }
}
