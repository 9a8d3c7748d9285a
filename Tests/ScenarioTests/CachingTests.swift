import Cache
import Foundation
import Freshness
import TestSupport
import Testing

@testable import Proxy

@Suite struct CachingTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    @Test func secondRequestIsAHitWithTheSameAnswer() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: #"{"data":[{"id":"1"}]}"#) }
        let first = try scene.proxy.client.send("GET", Self.album)
        let second = try scene.proxy.client.send("GET", Self.album)
        #expect(first.field("Cache-Status") == "refrain; fwd=uri-miss; fwd-status=200; stored; ttl=86400")
        #expect(second.field("Cache-Status")?.hasPrefix("refrain; hit; ttl=") == true)
        #expect(second.field("Age") != nil)
        #expect(second.body == first.body)
        #expect(second.field("Content-Type") == "application/json")
        #expect(second.field("Via") == "1.1 refrain")
        #expect(scene.origin.requests.count == 1)
        #expect(scene.proxy.statistics[.hits] == 1)
        #expect(scene.proxy.statistics[.misses] == 1)
    }

    /// A file was made of a body that only HEADs asked about.
    @Test func headMakesNoFileOfALargeBody() throws {
        let body = "{\"a\":\"\(String(repeating: "a", count: 2 * SealedBodies.leastBytes))\"}"
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: body) }
        _ = try scene.proxy.client.send("GET", Self.album)
        let bodies = scene.proxy.settings.shared.sealedBodies
        for _ in 0..<3 { #expect(try scene.proxy.client.send("HEAD", Self.album).body.isEmpty) }
        #expect(bodies.byteCount == 0)
        for _ in 0..<2 { #expect(try scene.proxy.client.send("GET", Self.album).body.count == body.utf8.count) }
        #expect(bodies.byteCount == body.utf8.count)
    }

    @Test(arguments: [401, 429, 500])
    func errorsOfTheMomentAreNeverStored(status: Int) throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: status, body: "no") }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        for round in 0..<2 {
            let reply = try proxy.client.send("GET", Self.album)
            #expect(reply.status == status)
            // Once the last tries have met a 429 the origin is not asked.
            if round == 0 || status != 429 { #expect(reply.body == Data("no".utf8)) }
        }
        #expect(origin.requests.count >= 2)
    }

    /// Clients that join a host with its slash and `next` came no further than the first page.
    @Test func emptySegmentsAreTheSameTarget() throws {
        let scene = try ScriptedScene { FakeOrigin.Reply(body: #"{"target":"\#($0.method) \#($0.target)"}"#) }
        for target in ["/v1/catalog/us/songs?ids=2,1", "/v1/catalog/us?ids[songs]=1"] {
            let (path, query) = (target.split(separator: "?")[0], target.split(separator: "?")[1])
            for spelling in [path, "/\(path)", "\(path)/", "\(path)//", "//\(path.replacing("/", with: "//"))/"] {
                let reply = try scene.proxy.client.send("GET", "\(spelling)?\(query)")
                #expect(reply.status == 200 && reply.body == Data(#"{"target":"GET \#(target)"}"#.utf8))
            }
        }
        #expect(scene.origin.requests.count == 2)
        _ = try scene.proxy.client.send("GET", "//v1/me/library/songs/?ids=i.1", fields: [("Music-User-Token", "anna")])
        _ = try scene.proxy.client.send("POST", "//v1/me/library/?ids[songs]=1", fields: [("Music-User-Token", "anna")])
        let own = scene.origin.requests.dropFirst(2)
        #expect(own.map(\.target) == ["/v1/me/library/songs?ids=i.1", "/v1/me/library?ids[songs]=1"])
        #expect(own.allSatisfy { $0.field("Music-User-Token") == "anna" })
    }

    @Test func entriesSurviveARestartWithTheOriginGone() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("cache.sqlite")
        func makeCache() -> ResponseCache {
            ResponseCache(
                memory: MemoryTier(maxBytes: 1 << 20),
                store: FileTier.open(path: file, maxBytes: 64 << 20) { message in print(message) })
        }
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: #"{"data":[{"id":"1"}]}"#) }
        let first = try ProxyUnderTest(originPort: origin.port, cache: makeCache())
        let before = try first.client.send("GET", Self.album)
        _ = try first.client.send("GET", Self.album + "0")
        first.stop()
        // A reader was open; all writes are in the file itself all the same, for a backup to find.
        let log = try? FileManager.default.attributesOfItem(atPath: file + "-wal")[.size] as? Int
        #expect((log ?? 0) == 0)
        origin.stop()
        let second = try ProxyUnderTest(originPort: origin.port, cache: makeCache())
        defer { second.stop() }
        let after = try second.client.send("GET", Self.album)
        #expect(after.field("Cache-Status")?.hasPrefix("refrain; hit") == true)
        #expect(after.body == before.body)
    }

    @Test func anUnreachableOriginGetsApplesErrorShape() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(hangsUp: true) }
        let reply = try scene.proxy.client.send("GET", Self.album)
        #expect(reply.status == 502)
        let errors = (reply.json as? [String: Any])?["errors"] as? [[String: Any]]
        #expect(errors?.first?["status"] as? String == "502")
        #expect((errors?.first?["id"] as? String)?.count == 26)
    }

    @Test func everyRequestHasOneOutcomeAndOneReason() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply() }
        for method in ["GET", "GET", "HEAD", "POST", "TRACE"] { _ = try scene.proxy.client.send(method, Self.album) }
        _ = try scene.proxy.client.send("GET", "/v1/me/library/songs", fields: [("Music-User-Token", "anna")])
        _ = try scene.proxy.client.send(
            "OPTIONS", Self.album, fields: [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")])
        let statistics = scene.proxy.statistics
        #expect(statistics[.requests] == 6)
        #expect((statistics[.hits], statistics[.misses], statistics[.bypassed]) == (2, 1, 2))
        #expect(statistics[.refused] == 1)
        #expect(
            (statistics[because: .absent], statistics[because: .method], statistics[because: .personal]) == (1, 1, 1))
    }
}
