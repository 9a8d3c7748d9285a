import Foundation
import TestSupport
import Testing

@testable import Proxy

/// How long the origin and clients may take, and what becomes of requests while the origin refuses
/// all.
@Suite(.timeLimit(.minutes(10))) struct PatienceTests {
    private static let target = "/v1/catalog/us/songs/"

    /// 12 s were too long whatever the operator wanted, and a change needed another program.
    @Test func timeoutsOfTheOriginAndOfClientsChangeByAReload() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = String.ok(#"{"data":[{"id":"1","type":"songs"}]}"#)
        let origin = try ScriptedOrigin([.request, .hold], [.request, .wait(gate), .send(answer), .hold])
        let proxy = try ProxyUnderTest(scripted: origin) { $0.timeouts.response = .milliseconds(50) }
        #expect(try proxy.client.send("GET", Self.target + "1").status == 504)
        try proxy.adopt {
            $0.upstream.timeouts.response = .seconds(600)
            $0.timeouts.idle = .milliseconds(50)
        }
        let client = try proxy.connection(sending: .get(Self.target + "2"))
        waitUntil { origin.requests.joined().count == 2 }
        gate.open()
        let text = client.readText()
        #expect(text.hasPrefix("HTTP/1.1 200") && text.components(separatedBy: "HTTP/1.1").count == 2)
        #expect(client.sawEnd, "the proxy closes the idle connection, not the test's patience")
    }

    /// The same went out four times within four seconds.
    @Test(arguments: [429, 503]) func whatTheOriginWantsLaterIsNotAskedForAgain(status: Int) throws {
        let origin = try FakeOrigin(.init(status: status, fields: [("Retry-After", "3600")], body: "later"))
        let proxy = try ProxyUnderTest(before: origin, policy: Policy(.songs, .fixed(600, stale: 0)))
        for round in 1...3 {
            let answer = try proxy.client.send("GET", Self.target + "1")
            #expect(answer.status == status)
            #expect((3500...3600).contains(Int(answer.field("Retry-After") ?? "") ?? 0))
            #expect(origin.requests.count == 1, "round \(round)")
        }
        let other = try proxy.client.send("GET", Self.target + "2")
        #expect(origin.requests.count == (status == 429 ? 1 : 2), "a limit is about all, trouble about one")
        #expect(other.status == status)
    }
}
