import Cache
import Foundation
import Freshness
import Proxy
import TestSupport
import Testing

/// Stale answers: within `stale` at once, with a refresh in the background; later, only if the
/// origin fails.
@Suite struct StaleTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    /// A proxy that holds an answer "old", which has been stale for a minute and a half.
    private func proxy(_ originPort: Int, _ lifetime: Lifetime, _ target: String = album) throws -> ProxyUnderTest {
        try ProxyUnderTest(originPort: originPort, workers: 2, cache: .holdingOld(target, lifetime))
    }

    @Test func aStaleAnswerIsServedAtOnceAndRefreshedOnceBehind() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .request, .wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"new\":1}"), .hold,
        ])
        let proxy = try proxy(Int(origin.port), Lifetime(freshFor: 10, staleFor: 1000))
        for _ in 0..<10 {
            let client = HTTPTestClient(port: proxy.port)
            let reply = try client.send("GET", Self.album)
            client.close()
            #expect(reply.body == Data("old".utf8))
            let status = reply.field("Cache-Status") ?? ""
            #expect(status.hasPrefix("refrain; hit; ttl=-") && status.hasSuffix("; detail=stale-while-revalidate"))
        }
        // All ten may have been served before the refresh has reached the origin.
        waitUntil { !origin.requests.joined().isEmpty }
        #expect(origin.requests.joined().count == 1, "one refresh for the key, however many ask")
        gate.open()
        waitUntil { proxy.statistics[.stored] == 1 }
        let reply = try proxy.client.send("GET", Self.album)
        #expect(origin.requests.joined().count == 1)
        #expect(reply.body == Data("{\"new\":1}".utf8))
        #expect(reply.field("Cache-Status")?.hasPrefix("refrain; hit; ttl=86") == true)
        #expect(proxy.statistics[.hits] == 11)
        #expect(proxy.statistics[.stale] == 10)
    }

    /// A HEAD is answered stale too, and the refresh in the background fetches the whole answer.
    @Test func aHeadRefreshesWithAGet() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "{\"new\":1}") }
        let proxy = try proxy(origin.port, Lifetime(freshFor: 10, staleFor: 1000))
        #expect(try proxy.client.send("HEAD", Self.album).field("Content-Length") == "3")
        waitUntil { proxy.statistics[.stored] == 1 }
        #expect(origin.requests.map(\.method) == ["GET"])
        #expect(try proxy.client.send("GET", Self.album).body == Data("{\"new\":1}".utf8))
    }

    /// For one that the origin answers, and for one that it breaks off.
    @Test(arguments: [429, 503, nil] as [Int?]) func anExpiredAnswerStandsInForAnError(status: Int?) throws {
        let origin = try FakeOrigin { _ in
            FakeOrigin.Reply(status: status ?? 200, body: "no", hangsUp: status == nil)
        }
        let proxy = try proxy(origin.port, Lifetime(freshFor: 10, staleIfErrorFor: 1000))
        let reply = try proxy.client.send("GET", Self.album)
        #expect(reply.status == 200 && reply.body == Data("old".utf8))
        let told = status.map { "fwd-status=\($0); " } ?? ""
        #expect(reply.field("Cache-Status") == "refrain; fwd=stale; \(told)detail=stale-if-error")
    }

    /// It was stored in the place of the answer that is better than none, and passed on.
    @Test(arguments: [0, 1000]) func anErrorWithFreshnessDoesNotReplaceWhatStandsIn(staleFor: Int) throws {
        let origin = try FakeOrigin { _ in
            FakeOrigin.Reply(status: 502, fields: [("Cache-Control", "max-age=600")], body: "no")
        }
        let lifetime = Lifetime(freshFor: 10, staleFor: staleFor, staleIfErrorFor: 1000)
        let proxy = try proxy(origin.port, lifetime, "/elsewhere")
        for _ in 0..<2 {
            #expect(try proxy.client.send("GET", "/elsewhere").body == Data("old".utf8))
            waitUntil { proxy.statistics[.upstreamErrors] > 0 }
        }
        #expect(origin.requests.count == 2 || staleFor > 0)
    }

    /// The origin is silent, not gone: its answer is still wanted, but not waited for.
    @Test func anExpiredAnswerStandsInForASlowOrigin() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .request, .wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"new\":1}"), .hold,
        ])
        let proxy = try proxy(Int(origin.port), Lifetime(freshFor: 10, staleIfErrorFor: 1000))
        #expect(try proxy.client.send("GET", Self.album).body == Data("old".utf8))
        gate.open()
        waitUntil { proxy.statistics[.stored] == 1 }
        #expect(try proxy.client.send("GET", Self.album).body == Data("{\"new\":1}".utf8))
        #expect(origin.requests.joined().count == 1)
    }

    /// The origin was asked about the old answer, and a newer one came in the meantime: the old one
    /// once took its place.
    @Test func aLateConfirmationDoesNotReplaceANewerAnswer() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .request, .wait(gate), .send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"),
            .request, .send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"newest\":1}"), .hold,
        ])
        let cache = ResponseCache.holdingOld(
            Self.album, Lifetime(freshFor: 10, keepFor: 1000), fields: "ETag: \"a\"\r\n")
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), cache: cache)
        let asking = try RawClient(port: UInt16(proxy.port))
        defer { asking.close() }
        try asking.send("GET \(Self.album) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        waitUntil { origin.requests.joined().count == 1 }
        cache.store(
            StoredResponse(
                key: CacheKey(scope: .shared, target: Array(Self.album.utf8)), status: 200, fields: [],
                body: Array("newer".utf8), receivedAt: Int64(Date().timeIntervalSince1970),
                lifetime: Lifetime(freshFor: 1000), classTag: 0, storefront: Array("us".utf8)))
        gate.open()
        let answer = asking.readText()
        #expect(answer.hasSuffix("{\"newest\":1}"))
        #expect(try proxy.client.send("GET", Self.album).body == Data("{\"newest\":1}".utf8))
    }
}
