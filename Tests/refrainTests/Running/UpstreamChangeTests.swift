import Glibc
import Store
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy
@testable import refrain

/// `upstream` names another server: nobody said that answers of the former one are stored.
@Suite(.timeLimit(.minutes(10))) struct UpstreamChangeTests {
    @Test(arguments: [
        ("https://api.music.apple.com", "https://API.Music.Apple.com.:443/", true),
        ("http://127.0.0.1", "http://127.0.0.1:80", true), ("http://[::1]:81", "http://[0:0::1]:81", true),
        ("https://a", "http://a", false), ("https://a", "https://a:444", false), ("https://a", "https://b", false),
        ("http://a:443", "https://a", false), ("http://localhost", "http://127.0.0.1", false),
    ])
    func spellingsOfOneServerAreOneOrigin(one: String, other: String, areEqual: Bool) throws {
        #expect(try (Endpoint(url: one).origin == Endpoint(url: other).origin) == areEqual)
    }

    @Test func startReloadAndCheckCountAnswersOfOtherOrigins() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("cache.sqlite")
        let body = #"{"data":[{"id":"1","type":"songs"}]}"#
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let origin = try ScriptedOrigin([.request, .send(head + body), .close])
        defer { origin.stop() }
        let former = "http://127.0.0.1:\(origin.port)"
        func lines(_ upstream: String) -> String { quiet("cache_file \(path)\nupstream \(upstream)") }
        func words(_ other: String, beside present: String) -> String {
            "1 stored answer is of another upstream, \(other): none of them is served while upstream is " + present
        }
        var scene = try ProxyScene(lines(former))
        #expect(try scene.client.send("GET", "/v1/catalog/us/songs/1").status == 200)
        try scene.proxy.adopt(read(lines("http://other")).configuration)
        waitUntil { scene.captured.error.contains(words(former, beside: "http://other")) }
        let before = scene.captured.error.count
        try scene.proxy.adopt(read(lines(former)).configuration)
        scene.stop()
        #expect(!scene.captured.error.dropFirst(before).contains("another upstream"), "it is the same one again")
        scene = try ProxyScene(lines("http://OTHER.:80"))
        waitUntil { scene.captured.error.contains(words(former, beside: "http://other")) }
        scene.stop()
        let file = try folder.put(lines("http://other"), "proxy.conf", mode: 0o600)
        let result = run(["check", "--config", file], files: .system)
        #expect(result.error.contains("warn: cache_file: \(path): " + words(former, beside: "http://other")))
        let same = try folder.put(lines(former), "same.conf", mode: 0o600)
        #expect(!run(["check", "--config", same], files: .system).error.contains("another upstream"))
    }
}
