import EventLoop
import Testing

@testable import Tier

/// A session and the nodes of a cluster: the owner of the keys is found, and found again.
@Suite struct SessionClusterTests {
    private typealias Script = SessionScript
    private static let c = Endpoint(isTLS: false, host: "c", port: 6379)
    private static let d = Endpoint(isTLS: false, host: "d", port: 6379)

    /// The greeting of a node that owns other slots.
    private static func moved(to host: String, role: String = "master") -> String {
        Script.ok + "*3\r\n$\(role.utf8.count)\r\n\(role)\r\n:0\r\n*0\r\n-MOVED 5 \(host):6379\r\n"
    }

    /// A session that a has sent to c.
    private static func onC(_ endpoints: [Endpoint] = [Script.a, Script.b]) -> Script {
        var script = Script.started(endpoints)
        #expect(script.greet(moved(to: "c")) == [.close, .dial(c)])
        #expect(script.greet() == [.report(.connected(c))])
        #expect(script.state.status.endpoint == c)
        return script
    }

    @Test(arguments: ["master", "slave"]) func theOwnerIsFoundByAnyNode(role: String) {
        var script = Script.started()
        #expect(script.ask(1) == [])
        #expect(script.greet(Self.moved(to: "c", role: role)) == [.close, .dial(Self.c)])
        // The waiting command goes to the owner.
        #expect(script.greet() == [.report(.connected(Self.c)), Script.wire(Script.get(1))])
        #expect(script.receive("+x\r\n") == [.complete(Script.id(1), [.simple("x")])])
    }

    @Test func aMoveIsFollowedAtOnce() {
        var script = Self.onC()
        for number in [1, 2] { #expect(script.ask(number) == [Script.wire(Script.get(number))]) }
        // No command is sent twice: the callers hear of no reply.
        let actions = script.receive("-MOVED 5 d:6379\r\n")
        #expect(actions == Script.fail(1) + [.close] + Script.fail(2) + [.dial(Self.d)])
        #expect(script.ask(3) == [])
        #expect(script.greet() == [.report(.connected(Self.d)), Script.wire(Script.get(3))])
        #expect(script.state.status.lastError == "moved" && script.state.status.reconnects == 1)
        #expect(!script.state.status.isBreakerOpen)
    }

    /// Without a bound a session would follow them for ever.
    @Test func nodesThatNameEachOtherAreLeft() {
        var script = Script.started()
        for _ in 0..<script.state.limits.maxMoves {
            #expect(script.greet(Self.moved(to: "c")) == [.close, .dial(Self.c)])
        }
        #expect(script.greet(Self.moved(to: "c")) == [.close, Script.unusable(.moved, Self.c)])
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.a)])
    }

    @Test func afterALossTheOwnerIsTriedBeforeTheSeeds() {
        var script = Self.onC()
        #expect(script.lose() == [])
        #expect(script.wait(.milliseconds(100)) == [.dial(Self.c)])
        // It is dead. The first seed was a, so b is next; it knows the new owner.
        #expect(script.refuse() == [.dial(Script.b)])
        #expect(script.greet(Self.moved(to: "c")) == [.close, .dial(Self.c)])
        #expect(script.refuse() == [.dial(Script.a)])
        #expect(script.greet(Self.moved(to: "d")) == [.close, .dial(Self.d)])
        #expect(script.greet() == [.report(.connected(Self.d))])
    }

    /// Until the others have chosen a new owner, they name the dead one.
    @Test func aDeadOwnerCostsRoundsWithPauses() {
        var script = Self.onC([Script.a])
        _ = script.lose()
        #expect(script.wait(.milliseconds(100)) == [.dial(Self.c)])
        #expect(script.refuse() == [.dial(Script.a)])
        #expect(script.greet(Self.moved(to: "c")) == [.close, .dial(Self.c)])
        #expect(script.refuse() == [Script.unusable(.dial(.connect("refused")), Self.c)])
        #expect(script.wait(.milliseconds(199)) == [])
        #expect(script.wait(.milliseconds(1)) == [.dial(Script.a)])
        #expect(script.greet(Self.moved(to: "d")) == [.close, .dial(Self.d)])
        #expect(script.greet() == [.report(.connected(Self.d))])
    }

    /// A node that is cut off from the others says so; they may have another owner.
    @Test(arguments: ["CLUSTERDOWN", "READONLY"]) func anOwnerThatIsNoneAnyMoreIsLeft(code: String) {
        var script = Self.onC()
        _ = script.ask(1)
        let reply = RESPReply.error(code: code, text: "x")
        #expect(script.receive("-\(code) x\r\n") == [.complete(Script.id(1), [reply]), .close])
        #expect(script.wait(.milliseconds(100)) == [.dial(Script.b)])
    }

    /// While the slot moves: the reply is its caller's, and the connection stays.
    @Test(arguments: ["ASK 5 d:6379", "TRYAGAIN multiple keys"]) func othersErrorsAreReplies(text: String) {
        var script = Self.onC()
        _ = script.ask(1)
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        #expect(script.receive("-\(text)\r\n") == [.complete(Script.id(1), [.error(code: words[0], text: words[1])])])
        #expect(script.ask(2) == [Script.wire(Script.get(2))])
    }

    @Test func aSentinelIsRefusedByName() {
        var script = Script.started()
        let replies = "+OK\r\n*2\r\n$8\r\nsentinel\r\n*0\r\n-ERR unknown command 'MGET'\r\n"
        let actions = script.greet(replies)
        #expect(actions == [.close, Script.unusable(.sentinel)])
        guard case .report(let report)? = actions.last else { return }
        #expect(report.description.contains("a Redis Sentinel, which holds no data"))
    }
}
