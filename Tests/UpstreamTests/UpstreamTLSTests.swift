import HTTP
import TestSupport
import Testing

@testable import EventLoop
@testable import Upstream

/// The pool over TLS: nothing is said before the origin is verified, and a cut-off answer is never
/// taken for whole.
@Suite(.timeLimit(.minutes(10))) struct UpstreamTLSTests {
    private static func scene(
        _ origin: ScriptedOrigin, hosts: [String] = ["127.0.0.1"], truncates: Bool = false, trusted: Bool = true
    ) throws -> UpstreamScene {
        let authority = try ThrowawayAuthority()
        let front = try TLSFront(
            originPort: origin.port, tls: ServerTLS(authority: authority, hosts: hosts), truncates: truncates)
        let anchors = trusted ? authority : try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(anchors.certificatePEM()))
        return try UpstreamScene(origin, tls: client, front: front)
    }

    @Test func connectionIsVerifiedAndUsedAgain() async throws {
        let origin = try ScriptedOrigin([.echo])
        let scene = try Self.scene(origin)
        #expect(await scene.send(.get, "/aa").end().text == "/aa")
        #expect(await scene.send(.get, "/bb").end().text == "/bb")
        #expect(origin.requests.map(\.count) == [2])
    }

    @Test(arguments: [(["origin.test"], true), (["127.0.0.1"], false)])
    func originThatCannotBeVerifiedSeesNothing(hosts: [String], trusted: Bool) async throws {
        let origin = try ScriptedOrigin([.request, .answer(""), .hold])
        let scene = try Self.scene(origin, hosts: hosts, trusted: trusted)
        if case .failed(.dial(.tls), content: nil) = await scene.send().end() {} else { Issue.record("not refused") }
        #expect(origin.requests.allSatisfy { $0.isEmpty })
    }

    @Test func answerUntilCloseIsWholeOnlyWithCloseNotify() async throws {
        for truncates in [false, true] {
            let origin = try ScriptedOrigin([
                .request, .send("HTTP/1.1 200 OK\r\n\r\nhello"), .sleep(milliseconds: 20), .close,
            ])
            let scene = try Self.scene(origin, truncates: truncates)
            let end = await scene.send().end()
            #expect(end.text == (truncates ? nil : "hello"))
            #expect(end.failure == (truncates ? .closedEarly(.content) : nil))
        }
    }

    @Test func handshakeThatNeverEndsIsGivenUp() async throws {
        let origin = try ScriptedOrigin([.hold])
        let client = try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM()))
        let scene = try UpstreamScene(origin, tls: client) { $0.timeouts.connect = .milliseconds(100) }
        #expect(await scene.send().end().failure == .dial(.timedOut))
        waitUntil { origin.endedConnections == 1 }
    }
}
