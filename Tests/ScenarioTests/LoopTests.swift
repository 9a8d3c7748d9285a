import Cache
import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy

/// An upstream that leads back to the proxy itself, at once or by another.
@Suite(.timeLimit(.minutes(10))) struct LoopTests {
    /// One request became 114.
    @Test(arguments: [("GET", "/v1/catalog/us/songs?ids=1,2"), ("POST", "/v1/me/library/songs"), ("PUT", "/elsewhere")])
    func aRequestThatComesBackIsRefused(method: String, target: String) throws {
        // Each is the other's origin.
        let one = try ProxyUnderTest(originPort: 1)
        let two = try ProxyUnderTest(originPort: one.port)
        try one.adopt { settings in
            settings.upstream.endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: UInt16(two.port))
        }
        let answer = try one.client.send(method, target, fields: [("Music-User-Token", "u")])
        #expect(answer.status == 508)
        let requests = one.statistics[.requests] + two.statistics[.requests]
        #expect(requests == 3, "there, to the other, and back")
    }

    @Test func aChainOfTwoIsNoLoop() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let parent = try ProxyUnderTest(originPort: origin.port)
        let child = try ProxyUnderTest(originPort: parent.port)
        #expect(try child.client.send("GET", "/v1/catalog/us/songs/1").status == 200)
        let via = origin.requests.first?.field("via")?.split(separator: ", ") ?? []
        #expect(via.count == 2 && via.allSatisfy { $0.hasPrefix("1.1 refrain-") })
        // The `Via` that the origin saw, sent by a client to the first proxy, means a loop.
        let again = try child.client.send(
            "GET", "/v1/catalog/us/songs/2", fields: [("Via", via.joined(separator: ","))])
        #expect(again.status == 508 && origin.requests.count == 1)
    }
}
