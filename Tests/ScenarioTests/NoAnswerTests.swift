import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// Bodies that are no answer despite their status, or that contradict stored answers.
@Suite(.timeLimit(.minutes(10))) struct NoAnswerTests {
    private static let album = "/v1/catalog/us/albums/1"
    private static let good = #"{"data":[{"id":"1","type":"albums","attributes":{"name":"a"}}]}"#

    /// Kept for a day, each of these was the answer for everyone.
    @Test(arguments: ["", "<html>Bad Gateway</html>", #"{"errors":[{"status":"500"}]}"#])
    func aBodyThatIsNoAnswerIsPassedOnAndNotKept(body: String) throws {
        let bodies = Mutex([body, Self.good])
        let scene = try ScriptedScene { _ in
            FakeOrigin.Reply(body: bodies.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
        let proxy = scene.proxy
        let first = try proxy.client.send("GET", Self.album)
        #expect(first.status == 200 && first.body == Data(body.utf8))
        #expect(first.field("Cache-Status")?.contains("detail=no-answer") == true)
        #expect(proxy.statistics[because: .noAnswer] == 1 && proxy.statistics[.upstreamErrors] == 1)
        #expect(proxy.explain(Self.album)?.lastAnswer?.reason == .noAnswer)
        #expect(scene.warnings.all.contains { $0.contains("is not a valid answer") })
        for _ in 0..<2 { #expect(try proxy.client.send("GET", Self.album).body == Data(Self.good.utf8)) }
        #expect(scene.upstream.count == 2)
    }

    /// The stale answer stays, and the refresh is counted though no client waits for it.
    @Test func aRefreshThatBringsNoAnswerLeavesWhatIsStored() throws {
        let isBroken = Mutex(false)
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: isBroken.withLock { $0 } ? "" : Self.good) }
        let proxy = scene.proxy
        _ = try proxy.client.send("GET", Self.album)
        isBroken.withLock { $0 = true }
        scene.clock.advance(seconds: 86_401)
        #expect(try proxy.client.send("GET", Self.album).body == Data(Self.good.utf8))
        waitUntil { proxy.statistics[because: .noAnswer] == 1 }
        #expect(try proxy.client.send("GET", Self.album).body == Data(Self.good.utf8))
    }

    /// The origin's own rules decide on answers of paths that are unknown here.
    @Test func explicitFreshnessOfOtherPathsDecidesAsBefore() throws {
        let page = FakeOrigin.Reply(fields: [("Cache-Control", "max-age=60")], body: "<html></html>")
        let proxy = try ProxyUnderTest(before: FakeOrigin(page))
        for _ in 0..<2 { #expect(try proxy.client.send("GET", "/v1/unknown").body == Data("<html></html>".utf8)) }
        #expect(proxy.origin.requests.count == 1)
    }

    /// For a minute everyone was told that the page does not exist.
    @Test func aNotFoundForWhatAStoredAnswerPromisesIsNotKept() throws {
        let list = Self.album + "/tracks"
        let page = #"{"next":"\#(list)?offset=1","data":[\#(Self.song)]}"#
        try expectNotFoundOnce(list + "?offset=1", after: [list: page])
        let search = "/v1/catalog/us/search?term=a&types=songs"
        let next = "/v1/catalog/us/search?limit=5&offset=1&term=a&types=songs"
        let results = #"{"results":{"songs":{"next":"\#(search)&offset=1","data":[\#(Self.song)]}}}"#
        try expectNotFoundOnce(next, after: [search: results])
        let named = #"{"data":[{"id":"9","type":"albums"}]}"#
        try expectNotFoundOnce("/v1/catalog/us/albums/9", after: ["/v1/catalog/us/songs/1/albums": named])
    }

    @Test func anyOtherNotFoundIsKeptAsTheOperatorSays() throws {
        let list = Self.album + "/tracks"
        let page = #"{"next":"\#(list)?offset=1","data":[\#(Self.song)]}"#
        for target in ["/v1/catalog/us/albums/9", list + "?offset=2", "/v1/catalog/gb/songs/1"] {
            let proxy = try proxy([list: page])
            for _ in 0..<2 { #expect(try proxy.client.send("GET", target).status == 404) }
            #expect(proxy.origin.requests.count { $0.target == target } == 1, "\(target)")
        }
    }

    /// A purge ends what answers promise: the operator knows better.
    @Test func aNotFoundAfterAPurgeIsKept() throws {
        let proxy = try proxy(["/v1/catalog/us/songs/1/albums": #"{"data":[{"id":"9","type":"albums"}]}"#])
        proxy.settings.shared.cache.purgeAndWait(EntrySelection(), .soft, at: 1_790_000_000)
        for _ in 0..<2 { #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/9").status == 404) }
        #expect(proxy.origin.requests.count { $0.target == "/v1/catalog/us/albums/9" } == 1)
    }

    private static let song = #"{"id":"1","type":"songs","attributes":{"name":"a"}}"#

    /// A proxy that has these answers, before an origin that has nothing else.
    private func proxy(_ answers: [String: String]) throws -> ProxyUnderTest {
        let origin = try FakeOrigin { request in
            answers[request.target].map { FakeOrigin.Reply(body: $0) }
                ?? FakeOrigin.Reply(status: 404, body: #"{"errors":[{"status":"404"}]}"#)
        }
        let proxy = try ProxyUnderTest(before: origin)
        for target in answers.keys { _ = try proxy.client.send("GET", target) }
        return proxy
    }

    private func expectNotFoundOnce(_ target: String, after answers: [String: String]) throws {
        let proxy = try proxy(answers)
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", target)
            #expect(reply.status == 404 && reply.field("Cache-Status")?.contains("detail=contradicted") == true)
        }
        #expect(proxy.origin.requests.count { $0.target == target } == 2, "\(target)")
    }
}
