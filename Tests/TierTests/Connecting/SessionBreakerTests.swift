import Testing

@testable import Tier

/// Scripts: an engine that keeps failing is not waited for.
@Suite struct SessionBreakerTests {
    private typealias Script = SessionScript

    /// One command after the other that was not answered, the last of them just now.
    private func failed(_ count: Int) -> Script {
        var script = Script.ready()
        for number in 1...count {
            #expect(script.ask(number) == [Script.wire(Script.get(number))])
            let report = number == 5 ? [Script.unusable(.timeout(.reply))] : []
            #expect(script.wait(.milliseconds(50)) == [.close] + Script.fail(number) + report)
            #expect(script.state.status.isBreakerOpen == (number == 5))
            guard number < count else { continue }
            #expect(script.wait(.seconds(1)) == [.dial(Script.a)])
            #expect(script.greet() == [])
        }
        return script
    }

    private static let question = Script.wire(RESPCommand("ROLE"))
    private static let master = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"

    /// The breaker is open, a second has passed, and the engine greets as usual.
    private func probing() -> Script {
        var script = failed(5)
        #expect(script.wait(.seconds(1)) == [.dial(Script.a)])
        #expect(script.greet() == [Self.question])
        #expect(script.state.status.isBreakerOpen && script.state.status.isConnected)
        return script
    }

    @Test func fiveFailuresInARowOpenIt() {
        var four = failed(4)
        #expect(four.ask(6, timeout: .seconds(9)) == [])
        var five = failed(5)
        #expect(five.ask(6, timeout: .seconds(9)) == Script.fail(6))
        #expect(five.state.status.timeouts == 5 && five.state.status.failures == 6)
        var script = failed(4)
        _ = script.wait(.seconds(1))
        #expect(script.greet() == [])
        _ = script.ask(5)
        _ = script.receive("$-1\r\n")
        for number in 6...10 {
            #expect(!script.state.status.isBreakerOpen)
            _ = script.ask(number)
            _ = script.wait(.milliseconds(50))
            _ = script.wait(.seconds(1))
            _ = script.greet()
        }
        #expect(script.state.status.isBreakerOpen)
    }

    /// The breaker stayed open while there were only hits, long after the engine was back.
    @Test func theBreakerClosesThoughNoClientAsks() {
        var script = probing()
        #expect(script.receive(Self.master).last == .report(.connected(Script.a)))
        #expect(!script.state.status.isBreakerOpen && script.state.status.waiting == 0)
        #expect(script.wait(.seconds(10)) == [] && script.state.wakeAt == nil)
        #expect(script.ask(8) == [Script.wire(Script.get(8))])
        script = probing()
        #expect(script.ask(6) == Script.fail(6))
        #expect(script.receive("-LOADING text\r\n").last == .report(.connected(Script.a)), "any reply will do")
    }

    @Test func thereIsOneProbeInASecond() {
        var script = probing()
        #expect(script.wait(.milliseconds(50)) == [.close, .fail(.probe)])
        #expect(script.ask(7) == Script.fail(7))
        // The next round is due after a second; without a connection there is nothing to probe.
        #expect(script.wait(.milliseconds(999)) == [])
        #expect(script.ask(8, timeout: .seconds(9)) == Script.fail(8))
        #expect(script.wait(.milliseconds(1)) == [.dial(Script.a)])
        #expect(script.ask(9) == Script.fail(9))
        #expect(script.greet() == [Self.question])
        // The connection came about before the second was over.
        script = Script.started()
        for number in 1...5 {
            _ = script.ask(number)
            _ = script.wait(.milliseconds(50))
        }
        #expect(script.state.status.isBreakerOpen)
        #expect(script.greet() == [])
        #expect(script.wait(.milliseconds(999)) == [])
        #expect(script.wait(.milliseconds(1)) == [Self.question])
    }

    @Test func failedRoundsCountAndFailWhatWaits() {
        var script = Script.started([Script.a, Script.b])
        for round in 1...5 {
            #expect(!script.state.status.isBreakerOpen)
            #expect(script.refuse() == [.dial(Script.b)])
            #expect(script.refuse().count == (round == 1 ? 1 : 0))
            #expect(script.wait(.seconds(1)) == [.dial(Script.a)])
        }
        #expect(script.state.status.isBreakerOpen)
        // Dialling goes on, but no request waits for it.
        #expect(script.ask(1, timeout: .seconds(10)) == Script.fail(1))
        script = Script.started()
        for round in 1...5 {
            _ = script.ask(round, timeout: .seconds(60))
            #expect(script.refuse().filter { $0 == .fail(Script.id(1)) }.count == (round == 5 ? 1 : 0))
            _ = script.wait(.seconds(1))
        }
        #expect(script.state.status.waiting == 0)
    }

    @Test func timeoutsAreFailuresAndThoseTogetherAreOne() {
        var script = Script.started()
        for number in 1...5 {
            #expect(script.ask(number) == [])
            let report = number == 5 ? [Script.unusable(.dial(.timedOut))] : []
            #expect(script.wait(.milliseconds(50)) == Script.fail(number) + report)
        }
        #expect(script.ask(6) == Script.fail(6))
        script = Script.ready()
        for number in 1...20 { _ = script.ask(number) }
        #expect(script.wait(.milliseconds(50)).count == 21)
        #expect(!script.state.status.isBreakerOpen)
    }

    @Test func errorsDemotionsAndIdleEndsAreNoFailures() {
        var script = Script.ready()
        for number in 1...10 {
            _ = script.ask(number)
            _ = script.receive("-READONLY text\r\n")
            _ = script.wait(.milliseconds(100))
            #expect(script.greet() == [])
        }
        #expect(!script.state.status.isBreakerOpen && script.state.status.reconnects == 10)
        script = Script.ready()
        for _ in 0..<10 {
            #expect(script.lose() == [])
            _ = script.wait(.seconds(1))
            #expect(script.greet() == [])
        }
        #expect(!script.state.status.isBreakerOpen)
    }
}
