import Cache
import Foundation
import Freshness
import Purging
import Server
import Store
import Synchronization
import TestSupport
import Testing

@testable import Proxy

/// Stale answers: within `stale` at once, with a refresh in the background; later, only if the
/// origin fails.
@Suite(.timeLimit(.minutes(10))) struct StaleTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    private static let lifetime = Lifetime(freshFor: 10, staleFor: 1000)
    private static let new = "{\"new\":1}"

    @Test func aStaleAnswerIsServedAtOnceAndRefreshedOnceBehind() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(.ok(Self.new)), .hold])
        let cache = ResponseCache.holdingOld(Self.album, Self.lifetime)
        let proxy = try ProxyUnderTest(scripted: origin, workers: 2, cache: cache)
        for _ in 0..<10 {
            let reply = try HTTPTestClient(port: proxy.port).send("GET", Self.album)
            #expect(reply.body == Data("old".utf8))
            let status = reply.field("Cache-Status") ?? ""
            #expect(status.hasPrefix("refrain; hit; ttl=-") && status.hasSuffix("; detail=stale-while-revalidate"))
        }
        // All ten may have been served before the refresh has reached the origin.
        waitUntil { !origin.requests.joined().isEmpty }
        #expect(origin.requests.joined().count == 1, "one refresh for the key, however many ask")
        gate.open()
        waitUntil { proxy.statistics[.stored] == 1 }
        // This priority has half of the connections: a purge of everything floods no origin.
        #expect(proxy.statistics.upstreamRequests[.init(priority: .refresh, status: 200)] == 1)
        let reply = try proxy.client.send("GET", Self.album)
        #expect(origin.requests.joined().count == 1 && reply.body == Data(Self.new.utf8))
        #expect(reply.field("Cache-Status")?.hasPrefix("refrain; hit; ttl=86") == true)
        #expect(proxy.statistics[.hits] == 11 && proxy.statistics[.stale] == 10)
    }

    /// A HEAD is answered stale too, and the refresh in the background fetches the whole answer.
    @Test func aHeadRefreshesWithAGet() throws {
        let cache = ResponseCache.holdingOld(Self.album, Self.lifetime)
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: Self.new)), cache: cache)
        #expect(try proxy.client.send("HEAD", Self.album).field("Content-Length") == "3")
        waitUntil { proxy.statistics[.stored] == 1 }
        #expect(proxy.origin.requests.map(\.method) == ["GET"])
        #expect(try proxy.client.send("GET", Self.album).body == Data(Self.new.utf8))
    }

    /// It was stored in the place of the answer that is better than none, and passed on.
    @Test(arguments: [0, 1000]) func anErrorWithFreshnessDoesNotReplaceWhatStandsIn(staleFor: Int) throws {
        let lifetime = Lifetime(freshFor: 10, staleFor: staleFor, staleIfErrorFor: 1000)
        let error = FakeOrigin.Reply(status: 502, fields: [("Cache-Control", "max-age=600")], body: "no")
        let proxy = try ProxyUnderTest(before: FakeOrigin(error), cache: .holdingOld("/elsewhere", lifetime))
        for _ in 0..<2 {
            #expect(try proxy.client.send("GET", "/elsewhere").body == Data("old".utf8))
            waitUntil { proxy.statistics[.upstreamErrors] > 0 }
        }
        #expect(proxy.origin.requests.count == 2 || staleFor > 0)
    }

    /// A newer answer came while the origin was asked about the old one, which replaced it.
    @Test func aLateConfirmationDoesNotReplaceANewerAnswer() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .request, .wait(gate), .send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"),
            .request, .send(.ok("{\"newest\":1}")), .hold,
        ])
        let cache = ResponseCache.holdingOld(
            Self.album, Lifetime(freshFor: 10, keepFor: 1000), fields: "ETag: \"a\"\r\n")
        let proxy = try ProxyUnderTest(scripted: origin, cache: cache)
        let asking = try proxy.connection(sending: .get(Self.album, closes: true))
        waitUntil { origin.requests.joined().count == 1 }
        cache.store(
            StoredResponse(
                key: CacheKey(of: .none, scope: .shared, target: Array(Self.album.utf8)), status: 200, fields: [],
                body: Array("newer".utf8), receivedAt: Int64(Date().timeIntervalSince1970),
                lifetime: Lifetime(freshFor: 1000), classTag: 0, storefront: Array("us".utf8)))
        gate.open()
        #expect(asking.readText().hasSuffix("{\"newest\":1}"))
        #expect(try proxy.client.send("GET", Self.album).body == Data("{\"newest\":1}".utf8))
    }

    /// Two real proxies in a row, each with the same rules: the second does not forget an answer's
    /// age and staleness, as the first knows them. `ShieldedStoringTests` has the rules.
    @Test func anAnswerPurgedInTheParentIsNotStoredAsFresh() throws {
        let answers = Atomic<Int>(0)
        let policy = Policy(.albums, .fixed(86_400, stale: 600))
        let parent = try ScriptedScene(policy: policy) { _ in
            FakeOrigin.Reply(body: "{\"answer\":\(answers.add(1, ordering: .relaxed).newValue)}")
        }
        let clock = parent.clock
        let child = try ProxyUnderTest(
            originPort: parent.proxy.port, policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds })
        func parts(_ reply: HTTPTestClient.Reply) -> [String] {
            reply.field("Cache-Status")?.components(separatedBy: "; ") ?? []
        }
        _ = try parent.proxy.client.send("GET", Self.album)
        clock.advance(seconds: 50)
        parent.proxy.cache.purgeAndWait(EntrySelection(), .soft, at: clock.unixSeconds)
        clock.advance(seconds: 10)
        let first = try child.client.send("GET", Self.album)
        #expect(first.body == Data("{\"answer\":1}".utf8) && first.field("Age") == "60")
        #expect(parts(first).contains("ttl=-60"), "\(first.fields)")
        waitUntil { parent.proxy.statistics[.stored] == 2 }
        // Served once more while it is fetched again, and then it is the new one.
        let second = try child.client.send("GET", Self.album)
        #expect(second.field("Cache-Status") == "refrain; hit; ttl=-60; detail=stale-while-revalidate")
        waitUntil { child.statistics[.stored] == 2 }
        let third = try child.client.send("GET", Self.album)
        #expect(third.body == Data("{\"answer\":2}".utf8))
        #expect(third.isHit && parts(third).contains("ttl=86400"), "\(third.fields)")
        #expect(parent.origin.requests.count == 2)
    }
}
