import Testing

@testable import Tier

@Suite struct SessionPipelineTests {
    private typealias Script = SessionScript

    private func complete(_ number: Int, _ replies: RESPReply...) -> SessionState.Action {
        .complete(Script.id(number), replies)
    }

    @Test func repliesGoToTheirPipelinesInOrderAndAreTimed() {
        var script = Script.ready()
        #expect(script.ask(1) == [Script.wire(Script.get(1))])
        let two = [Script.get(2), Script.get(3)]
        #expect(script.state.submit(Script.id(2), two, now: script.now) == [.send(RESPCommand.pipeline(two))])
        #expect(script.ask(4) == [Script.wire(Script.get(4))])
        #expect(script.receive("$1\r\n1\r\n$1\r\n2\r\n$") == [complete(1, .bulk("1"))])
        #expect(script.receive("1\r\n3\r\n$-1\r\n") == [complete(2, .bulk("2"), .bulk("3")), complete(4, .bulk(nil))])
        let status = script.state.status
        #expect(status.commands == 4 && status.failures == 0 && status.waiting == 0 && status.waitingBytes == 0)
        script = Script.started()
        _ = script.ask(1)
        #expect(script.wait(.milliseconds(7)) == [])
        _ = script.greet()
        #expect(script.wait(.milliseconds(5)) == [])
        _ = script.ask(2)
        #expect(script.wait(.milliseconds(3)) == [])
        _ = script.receive(":1\r\n:2\r\n")
        #expect(script.state.status.latencySum == .milliseconds(8 + 3))
        #expect(script.state.status.latencyCount == 2)
    }

    @Test(arguments: ["LOADING", "OOM", "NOAUTH", "NOSCRIPT", "WRONGTYPE", "ERR", "MOVED"])
    func errorsAreReplies(code: String) {
        var script = Script.asked(1)
        #expect(script.receive("-\(code) text\r\n") == [complete(1, .error(code: code, text: "text"))])
        #expect(script.state.status.isConnected && script.state.status.failures == 0)
    }

    @Test(arguments: ["READONLY", "MASTERDOWN"]) func aDemotedMasterIsLeft(code: String) {
        var script = Script.asked(1, 2, of: [Script.a, Script.b])
        #expect(
            script.receive("-\(code) text\r\n$1\r\n2\r\n")
                == [complete(1, .error(code: code, text: "text")), .close] + Script.fail(2),
            "what follows is not read")
        #expect(script.state.status.lastError == "not-master")
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.b)])
        #expect(script.greet() == [.report(.connected(Script.b))])
    }

    @Test func aLateReplyClosesTheConnection() {
        var script = Script.asked(1)
        #expect(script.wait(.milliseconds(30)) == [])
        _ = script.ask(2)
        #expect(script.wait(.milliseconds(20)) == [.close] + Script.fail(1, 2))
        #expect(script.receive("$1\r\n1\r\n") == [])
        let status = script.state.status
        #expect(status.timeouts == 1 && status.failures == 2 && status.lastError == "timeout" && !status.isConnected)
        // The next connection knows nothing of it.
        script.reconnect()
        _ = script.ask(3)
        #expect(script.receive("$1\r\n3\r\n") == [complete(3, .bulk("3"))])
    }

    @Test func aDeadlineIsOfItsOwnPipeline() {
        var script = Script.ready()
        _ = script.ask(1, timeout: .seconds(5))
        #expect(script.wait(.seconds(4)) == [])
        _ = script.ask(2)
        #expect(script.receive("$1\r\n1\r\n$1\r\n2\r\n") == [complete(1, .bulk("1")), complete(2, .bulk("2"))])
        #expect(script.wait(.seconds(5)) == [])
        #expect(script.state.wakeAt == nil)
        script = Script.ready()
        _ = script.ask(1, timeout: .seconds(5))
        _ = script.ask(2)
        #expect(script.wait(.milliseconds(50)) == [.close] + Script.fail(1, 2))
        #expect(script.state.status.timeouts == 1)
    }

    @Test func waitingForAConnectionHasTheSameDeadline() {
        var script = Script.started()
        #expect(script.ask(1) == [] && script.ask(2, timeout: .milliseconds(200)) == [])
        #expect(script.wait(.milliseconds(50)) == Script.fail(1))
        #expect(script.wait(.milliseconds(10)) == [])
        #expect(script.greet() == [.report(.connected(Script.a)), Script.wire(Script.get(2))])
        #expect(script.state.status.timeouts == 1 && script.state.status.failures == 1)
        script = Script.started()
        _ = script.ask(1, timeout: .milliseconds(100))
        _ = script.ask(2, timeout: .milliseconds(101))
        #expect(script.refuse() == [Script.unusable(.dial(.connect("refused")))] + Script.fail(1))
        #expect(script.ask(3, timeout: .milliseconds(100)) == Script.fail(3))
        #expect(script.ask(4, timeout: .milliseconds(101)) == [])
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
        #expect(
            script.greet() == [
                .report(.connected(Script.a)), Script.wire(Script.get(2)), Script.wire(Script.get(4)),
            ])
    }

    /// Sixteen large values took more than 50 ms of a link, and their connection was closed.
    @Test func anEngineWhoseReplyKeepsComingIsNotDead() {
        var script = Script.asked(1, 2)
        #expect(script.receive("$100\r\n") == [])
        for _ in 0..<10 {
            #expect(script.wait(.milliseconds(40)) == [])
            #expect(script.receive("0123456789") == [])
        }
        #expect(script.receive("\r\n").count == 1)
        // The answers after it could not come before, and have their time now.
        #expect(script.wait(.milliseconds(49)) == [])
        #expect(script.receive("$1\r\n2\r\n") == [complete(2, .bulk("2"))])
        #expect(script.state.status.timeouts == 0 && script.wait(.seconds(9)) == [])
    }

    @Test func aReplyThatStopsOrTakesASecondIsLate() {
        var script = Script.asked(1)
        _ = script.receive("$1000\r\n")
        for _ in 0..<34 {
            #expect(script.wait(.milliseconds(30)) == [])
            #expect(script.receive("x") == [])
        }
        #expect(script.wait(.milliseconds(30)) == [.close] + Script.fail(1))
        #expect(script.state.status.timeouts == 1 && SessionLimits().flowTime == .seconds(1))
        script = Script.asked(1)
        #expect(script.wait(.milliseconds(30)) == [])
        #expect(script.receive("$100\r\nx") == [])
        #expect(script.wait(.milliseconds(49)) == [])
        #expect(script.wait(.milliseconds(1)) == [.close] + Script.fail(1))
        // The next connection knows nothing of it.
        script.reconnect()
        _ = script.ask(2)
        #expect(script.wait(.milliseconds(50)) == [.close] + Script.fail(2))
    }

    @Test(arguments: ["hello\r\n", "+OK\n", "$-7\r\n", "$99999999\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"])
    func aMalformedReplyClosesTheConnection(text: String) {
        var script = Script.asked(1, 2)
        #expect(script.receive("$1\r\n1\r\n" + text) == [complete(1, .bulk("1")), .close] + Script.fail(2))
        #expect(script.state.status.lastError == "malformed")
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
    }

    @Test(arguments: ["+OK\r\n", "+", "$3\r\nab"]) func anUnaskedReplyClosesTheConnection(text: String) {
        var idle = Script.ready()
        #expect(idle.receive(text) == [.close])
        #expect(idle.state.status.lastError == "surplus")
        var answered = Script.asked(1)
        #expect(answered.receive("$1\r\n1\r\n" + text) == [complete(1, .bulk("1")), .close])
    }

    @Test func aLostOrMismatchedConnectionFailsWhatWaits() {
        var script = Script.asked(1)
        _ = script.receive("$1\r")
        #expect(script.lose() == Script.fail(1))
        #expect(script.ask(2) == Script.fail(2))
        _ = script.wait(.milliseconds(100))
        // The half of a reply is forgotten.
        _ = script.greet()
        _ = script.ask(3)
        #expect(script.receive("$1\r\n3\r\n") == [complete(3, .bulk("3"))])
        script = Script.asked(1, 2)
        #expect(script.receive("$1\r\n1\r\n") == [complete(1, .bulk("1"))])
        #expect(script.state.distrust(now: script.now) == [.close] + Script.fail(2))
        #expect(script.state.status.lastError == "mismatch")
        #expect(script.state.distrust(now: script.now) == [])
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
    }

    @Test(arguments: [true, false]) func pipelinesBeyondTheBoundFailAtOnce(isReady: Bool) {
        var script = isReady ? Script.ready() : Script()
        for number in 0..<1024 { #expect(script.ask(number).count == (isReady ? 1 : 0)) }
        #expect(script.ask(1024) == Script.fail(1024))
        #expect(script.state.status.waiting == 1024)
        guard isReady else { return }
        _ = script.receive("$-1\r\n")
        #expect(script.ask(1025) == [Script.wire(Script.get(1025))])
    }

    @Test func bytesBeyondTheBoundFailAtOnce() {
        var limits = SessionLimits()
        #expect(limits.maxBytes == 16 << 20)
        limits.maxBytes = 2 * Script.get(1).byteCount
        var script = Script.ready(limits: limits)
        #expect(script.ask(1).count == 1 && script.ask(2) == [Script.wire(Script.get(2))])
        #expect(script.state.status.waitingBytes == limits.maxBytes)
        #expect(script.ask(3) == Script.fail(3))
        _ = script.receive("$-1\r\n")
        #expect(script.ask(10) == Script.fail(10))
        #expect(script.ask(4) == [Script.wire(Script.get(4))])
    }
}
