import EventLoop
import HTTP
import TestSupport
import Testing

@testable import Upstream

/// The pool with real sockets: connections, their reuse, and requests whose connections break.
@Suite(.timeLimit(.minutes(10))) struct UpstreamPoolTests {
    private typealias Step = ScriptedOrigin.Step

    // MARK: Reuse

    @Test func answerIsCompleteAndItsConnectionIsUsedAgain() async throws {
        let scene = try UpstreamScene(ScriptedOrigin([.echo]))
        let first = await scene.send(.get, "/a").end()
        #expect(first.text == "/a" && first.collected.map { $0.receivedAt > $0.requestedAt } == true)
        #expect(await scene.send(.get, "/b").end().text == "/b")
        try #require(scene.origin.requests.count == 1)
        #expect(scene.origin.requests[0].map { $0.prefix(6) } == ["GET /a", "GET /b"])
        #expect(scene.idle == 1 && scene.leased == 0)
    }

    @Test(arguments: [
        (HTTP.Method.get, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"),
        (.get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokSURPLUS"),
        (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
        (.head, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nSTOLEN!!"),
    ])
    func connectionThatCannotBeTrustedIsNotUsedAgain(method: HTTP.Method, text: String) async throws {
        let scene = try UpstreamScene(ScriptedOrigin([.request, .send(text), .hold], [.echo]))
        #expect(await scene.send(method).end().text == (method == .head ? "" : "ok"))
        #expect(await scene.send(.get, "/b").end().text == "/b")
        #expect(scene.origin.requests.map(\.count) == [1, 1])
    }

    @Test(arguments: [[Step.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"), .hold], [.close]])
    func idleConnectionThatSpeaksOrClosesIsForgotten(end: [ScriptedOrigin.Step]) async throws {
        let gate = ScriptedOrigin.Gate()
        let scene = try UpstreamScene(ScriptedOrigin([.request, .answer("one"), .wait(gate)] + end, [.echo]))
        #expect(await scene.send().end().text == "one")
        gate.open()
        waitUntil { scene.idle == 0 }
        #expect(await scene.send(.post, "/b").end().text == "/b")
    }

    @Test func bytesThatComeBeforeTheRequestAreNotItsAnswer() async throws {
        let scene = try UpstreamScene(
            ScriptedOrigin([.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"), .hold], [.echo])
        ) { $0.maxConnections = 1 }
        scene.send(takenBack: true)
        // The connection is opened all the same; its bytes are found before or when it is leased.
        waitUntil { scene.origin.sentBytes > 0 }
        #expect(await scene.send(.get, "/b").end().text == "/b")
    }

    // MARK: Breaking

    /// A rating that met the end of an idle connection was 502.
    @Test(arguments: [
        (HTTP.Method.get, Step.close, ""), (.get, .reset, ""), (.put, .close, "123"), (.delete, .close, "123"),
    ])
    func idempotentRequestsAreSentOnceMoreWithTheirContent(
        method: HTTP.Method, ending: ScriptedOrigin.Step, content: String
    ) async throws {
        let scene = try UpstreamScene(ScriptedOrigin([.request, .answer("one"), .request, ending], [.echo]))
        #expect(await scene.send().end().text == "one")
        #expect(await scene.send(method, "/b", body: Array(content.utf8)).end().text == "/b")
        #expect(scene.origin.requests.map(\.count) == [2, 1])
        #expect(scene.origin.requests[1][0].hasSuffix("\r\n\r\n" + content))
    }

    @Test func postOnAReusedConnectionThatBreaksIsNotSentAgain() async throws {
        let scene = try UpstreamScene(ScriptedOrigin([.request, .answer("one"), .request, .close], [.echo])) {
            $0.recentUse = .seconds(30)
        }
        #expect(await scene.send().end().text == "one")
        #expect(await scene.send(.post, "/b", body: [1, 2, 3]).end().failure == .closedEarly(.nothing(isReused: true)))
        #expect(scene.origin.requests.map(\.count) == [2])
    }

    @Test func malformedAnswerIsAFailureAndItsConnectionIsClosed() async throws {
        let scene = try UpstreamScene(ScriptedOrigin([.request, .send("HTTP/1.1 200 OK\nX: y\n\n"), .hold]))
        let end = await scene.send().end()
        if case .failed(.malformed, content: nil) = end {} else { Issue.record("\(end)") }
        #expect(scene.idle == 0 && scene.leased == 0)
        waitUntil { scene.origin.endedConnections == 1 }
    }

    @Test func answerBeforeTheContentWasTakenLeavesTheConnectionUnused() async throws {
        // The origin takes nothing more until the end: if it did, the content could have left
        // before the answer was read.
        let end = ScriptedOrigin.Gate()
        defer { end.open() }
        let scene = try UpstreamScene(
            ScriptedOrigin(
                [.requestHead, .send("HTTP/1.1 413 X\r\nContent-Length: 3\r\n\r\nbig"), .wait(end)], [.echo]))
        let content = [UInt8](repeating: 1, count: 32 << 20)
        #expect(await scene.send(.post, "/a", body: content).end().text == "big")
        #expect(scene.idle == 0)
        #expect(await scene.send(.get, "/b").end().text == "/b")
    }

    // MARK: Limits and time

    @Test func interimResponsesDoNotProlongTheWait() async throws {
        let interim = [Step.send("HTTP/1.1 102 X\r\n\r\n"), .sleep(milliseconds: 200)]
        // Each within the time that an earlier one would buy; the answer comes after 1.2 s.
        let script = [.request] + Array(repeating: interim, count: 6).joined() + [Step.answer("late"), .hold]
        let scene = try UpstreamScene(ScriptedOrigin(script)) { $0.timeouts.response = .milliseconds(400) }
        #expect(await scene.send().end().failure == .timeout(.firstByte))
    }

    /// Before it says anything, or in its content.
    @Test(arguments: [0, 8, 8 << 20])
    func anOriginThatStallsIsGivenUp(maxCollected: Int) async throws {
        let isSilent = maxCollected == 0
        let head = isSilent ? "" : "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"
        let scene = try UpstreamScene(ScriptedOrigin([.request, .send(head), .hold])) {
            $0.timeouts.response = isSilent ? .milliseconds(50) : .seconds(600)
            $0.timeouts.content = isSilent ? .seconds(600) : .milliseconds(50)
            if !isSilent { $0.maxCollectedBytes = maxCollected }
        }
        #expect(await scene.send().end().failure == .timeout(isSilent ? .firstByte : .content))
        waitUntil { scene.origin.endedConnections == 1 }
    }

    /// An answer that took longer than its content's time in all was cut off.
    @Test func contentThatKeepsComingIsNotGivenUp() async throws {
        let pieces = Array(repeating: [Step.sleep(milliseconds: 300), .send("x")], count: 11).joined()
        let head = Step.send("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n")
        // Ten times as long as the pieces are apart, and less than they take together.
        let scene = try UpstreamScene(ScriptedOrigin([.request, head] + pieces + [.hold])) {
            $0.timeouts.content = .milliseconds(3000)
        }
        #expect(await scene.send().end().text == "xxxxxxxxxxx")
    }

    /// A slow reader is not a slow origin.
    @Test func aPausedAnswerIsNotTakenForAStall() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123456789"
        let scene = try UpstreamScene(ScriptedOrigin([.request, .send(head), .send("0123456789"), .hold])) {
            $0.timeouts.content = .milliseconds(50)
            $0.maxCollectedBytes = 8
        }
        let receiver = scene.send(pausing: true)
        await receiver.began()
        scene.onLoop { pool in
            _ = pool.loop.schedule(after: .milliseconds(200)) { receiver.exchange?.resume() }
        }
        #expect(await receiver.end().text == "01234567890123456789")
    }

    /// The streams keep their connections alive, so these have to notice.
    @Test func connectionWithoutItsPoolClosesWhenTheOriginSpeaks() async throws {
        let gate = ScriptedOrigin.Gate()
        let scene = try UpstreamScene(ScriptedOrigin([.request, .answer("one"), .wait(gate), .send("x"), .hold]))
        #expect(await scene.send().end().text == "one")
        scene.dropPool()
        gate.open()
        waitUntil { scene.origin.endedConnections == 1 }
    }
}
