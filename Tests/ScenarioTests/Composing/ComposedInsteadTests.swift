import Foundation
import Proxy
import TestSupport
import Testing

/// An origin that gives no answer to a request that others' answers can serve by then.
@Suite(.timeLimit(.minutes(10))) struct ComposedInsteadTests {
    @Test func aFailedRequestIsAnsweredByComposition() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .perform { request in
                let ids = ScriptedSongs.ids(ScriptedSongs.target(request))
                if ids == ["2"] { return [.wait(gate), .send("nonsense\r\n\r\n"), .close] }
                return [.send(ScriptedSongs.response(ids))]
            }
        ])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        defer { proxy.stop() }
        let path = "/v1/catalog/us/songs"
        _ = try proxy.client.send("GET", path + "/1")
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send("GET \(path)/2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        waitUntil { proxy.statistics[.upstreamRequests] == 2 }
        _ = try proxy.client.send("GET", path + "?ids=1,2,3")
        gate.open()
        let composed = String(decoding: client.readToEnd().bytes, as: UTF8.self)
        #expect(composed.hasPrefix("HTTP/1.1 200 ") && composed.hasSuffix("\r\n\r\n" + ScriptedSongs.body(["2"])))
        #expect(composed.contains("Cache-Status: refrain; fwd=uri-miss; stored; ttl="), "\(composed)")
        #expect(proxy.statistics[.built] == 1 && proxy.statistics[because: .upstreamMalformed] == 1)
        // It is kept.
        let again = try proxy.client.send("GET", path + "/2")
        #expect(again.field("Cache-Status")?.hasPrefix("refrain; hit") == true)
        #expect(String(decoding: again.body, as: UTF8.self) == ScriptedSongs.body(["2"]))
        #expect(proxy.statistics[.upstreamRequests] == 3)
    }

    /// It was called `partial`, though nothing stored was in it.
    @Test func anAnswerFetchedWholeIsNotPartial() throws {
        let scene = try ScriptedScene { request in
            let ids = ScriptedSongs.ids(request.target)
            return FakeOrigin.Reply(body: ids == ["3"] ? "" : ScriptedSongs.body(ids))
        }
        let path = "/v1/catalog/us/songs"
        _ = try scene.proxy.client.send("GET", path + "?ids=1,2")
        let whole = try scene.proxy.client.send("GET", path + "?ids=1,3")
        #expect(scene.upstream == ["?ids=1,2", "?ids=3", "?ids=1,3"].map { path + $0 })
        #expect(String(decoding: whole.body, as: UTF8.self) == ScriptedSongs.body(["1", "3"]))
        let status = whole.field("Cache-Status") ?? ""
        #expect(status.hasPrefix("refrain; fwd=uri-miss; fwd-status=200; stored; ttl="), "\(status)")
    }
}
