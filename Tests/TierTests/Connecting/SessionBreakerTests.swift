import EventLoop
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

    /// It is open, a second has passed, and the engine greets as if nothing were.
    private func probing() -> Script {
        var script = failed(5)
        #expect(script.wait(.seconds(1)) == [.dial(Script.a)])
        #expect(script.greet() == [])
        #expect(script.state.status.isBreakerOpen && script.state.status.isConnected)
        return script
    }

    @Test func fiveFailuresInARowOpenIt() {
        var four = failed(4)
        #expect(four.ask(6, timeout: .seconds(9)) == [])
        var five = failed(5)
        #expect(five.ask(6, timeout: .seconds(9)) == Script.fail(6))
        #expect(five.state.status.timeouts == 5 && five.state.status.failures == 6)
    }

    @Test func aProbeThatIsAnsweredClosesIt() {
        var script = probing()
        #expect(script.ask(6) == [Script.wire(Script.get(6))])
        #expect(script.ask(7) == Script.fail(7))
        #expect(
            script.receive("$1\r\n6\r\n") == [
                .complete(Script.id(6), [.bulk("6")]), .report(.connected(Script.a)),
            ])
        #expect(script.ask(8) == [Script.wire(Script.get(8))])
    }

    @Test func aProbeThatFailsIsTheOnlyOneOfItsSecond() {
        var script = probing()
        #expect(script.ask(6) == [Script.wire(Script.get(6))])
        #expect(script.wait(.milliseconds(50)) == [.close] + Script.fail(6))
        #expect(script.ask(7) == Script.fail(7))
        // The next round is due after a second; without a connection there is nothing to probe.
        #expect(script.wait(.milliseconds(999)) == [])
        #expect(script.ask(8, timeout: .seconds(9)) == Script.fail(8))
        #expect(script.wait(.milliseconds(1)) == [.dial(Script.a)])
        #expect(script.ask(9) == Script.fail(9))
        #expect(script.greet() == [])
        #expect(script.ask(10) == [Script.wire(Script.get(10))])
    }

    @Test func roundsThatFailCountToo() {
        var script = Script([Script.a, Script.b])
        _ = script.start()
        for round in 1...5 {
            #expect(!script.state.status.isBreakerOpen)
            #expect(script.refuse() == [.dial(Script.b)])
            #expect(script.refuse().count == (round == 1 ? 1 : 0))
            #expect(script.wait(.seconds(1)) == [.dial(Script.a)])
        }
        #expect(script.state.status.isBreakerOpen)
        // Dialling goes on, but nobody waits for it.
        #expect(script.ask(1, timeout: .seconds(10)) == Script.fail(1))
    }

    @Test func whoWaitsInVainForAConnectionIsAFailure() {
        var script = Script()
        _ = script.start()
        for number in 1...5 {
            #expect(script.ask(number) == [])
            let report = number == 5 ? [Script.unusable(.timeout(.dial))] : []
            #expect(script.wait(.milliseconds(50)) == Script.fail(number) + report)
        }
        #expect(script.ask(6) == Script.fail(6))
    }

    @Test func pipelinesThatFailTogetherAreOneFailure() {
        var script = Script.ready()
        for number in 1...20 { _ = script.ask(number) }
        #expect(script.wait(.milliseconds(50)).count == 21)
        #expect(!script.state.status.isBreakerOpen)
    }

    @Test func whatTheBreakerHoldsBackWhenItOpensFailsWithIt() {
        var script = Script()
        _ = script.start()
        for round in 1...5 {
            _ = script.ask(round, timeout: .seconds(60))
            #expect(script.refuse().filter { $0 == .fail(Script.id(1)) }.count == (round == 5 ? 1 : 0))
            _ = script.wait(.seconds(1))
        }
        #expect(script.state.status.waiting == 0)
    }

    @Test func answersThatAreErrorsAndDemotionsAreNoFailures() {
        var script = Script.ready()
        for number in 1...10 {
            _ = script.ask(number)
            _ = script.receive("-READONLY text\r\n")
            _ = script.wait(.milliseconds(100))
            #expect(script.greet() == [])
        }
        #expect(!script.state.status.isBreakerOpen && script.state.status.reconnects == 10)
    }

    @Test func idleConnectionsThatAreClosedAreNoFailures() {
        var script = Script.ready()
        for _ in 0..<10 {
            #expect(script.lose() == [])
            _ = script.wait(.seconds(1))
            #expect(script.greet() == [])
        }
        #expect(!script.state.status.isBreakerOpen)
    }
}
