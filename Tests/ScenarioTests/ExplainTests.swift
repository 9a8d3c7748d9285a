import Foundation
import Proxy
import Purging
import Store
import TestSupport
import Testing

@testable import Cache
@testable import Freshness

/// An explanation agrees with the answer that follows, and changes nothing.
@Suite(.timeLimit(.minutes(10))) struct ExplainTests {
    private func explained(
        _ scene: ComposingScene, _ target: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Explanation {
        try #require(scene.proxy.explain(target), sourceLocation: sourceLocation)
    }

    @Test func aMissBecomesAHitOnceAskedFor() throws {
        let scene = try ComposingScene()
        let song = "/v1/catalog/us/songs/\(try scene.ids("songs", 1)[0])"
        let missing = try explained(scene, song + "?l=de-DE&extend=a")
        #expect(missing.action == .fetch && missing.reason == .absent && missing.asksOrigin == .first)
        #expect(missing.stored == nil && missing.target == song + "?extend=a&l=de-DE")
        #expect("\(missing.route.template)" == "/v1/catalog/{storefront}/songs/{id}")
        try scene.get(song)
        let hit = try explained(scene, song)
        #expect(hit.action == .hit && hit.reason == nil && hit.asksOrigin == .never && hit.isInMemory)
        #expect(hit.stored?.status == 200 && hit.scope == .shared && hit.rule == .fixed(86_400, stale: 7 * 86_400))
        scene.clock.advance(seconds: 86_401)
        let stale = try explained(scene, song)
        #expect(stale.action == .stale && stale.reason == .staleWhileRevalidate && stale.asksOrigin == .behind)
        #expect(!stale.isMadeStale)
        scene.cache.purgeAndWait(EntrySelection(), .soft, at: scene.clock.unixSeconds)
        let purged = try explained(scene, song)
        #expect(purged.action == .stale && purged.isMadeStale)
        scene.clock.advance(seconds: 7 * 86_400)
        let expired = try explained(scene, song)
        #expect(expired.action == .fetch && expired.asksOrigin == .first)
    }

    @Test func aCompositionIsNamedAndNotMade() throws {
        let scene = try ComposingScene()
        let albums = try scene.ids("albums", 2)
        try scene.get("/v1/catalog/us/albums/\(albums[0])")
        try scene.get("/v1/catalog/us/albums/\(albums[0])?include=artists,genres")
        let whole = "/v1/catalog/us/albums/\(albums[1])?include=artists,genres"
        try scene.get(whole)
        let entries = scene.cache.memory.count
        let explanation = try explained(scene, "/v1/catalog/us/albums/\(albums[1])")
        #expect(explanation.action == .compose && explanation.reason == .reduced && explanation.asksOrigin == .never)
        #expect(explanation.composing?.parts == [whole] && explanation.composing?.kind == .reduced)
        #expect(scene.cache.memory.count == entries && scene.proxy.statistics[.built] == 0)
        let (status, cost) = try scene.get("/v1/catalog/us/albums/\(albums[1])")
        #expect(status.contains("detail=reduced") && cost == 0)
    }

    @Test func missingPartsAreNamedAndNotFetched() throws {
        let scene = try ComposingScene()
        let songs = try scene.ids("songs", 4)
        try scene.get("/v1/catalog/us/songs?ids=\(songs[0]),\(songs[1])")
        let batch = "/v1/catalog/us/songs?ids=\(songs[0]),\(songs[2])"
        let explanation = try explained(scene, batch)
        #expect(explanation.action == .complete && explanation.reason == .partial && explanation.asksOrigin == .first)
        let supplement = try #require(explanation.composing?.supplement)
        #expect(scene.upstream.count == 1)
        try scene.get(batch)
        #expect(scene.upstream.last == supplement)
    }

    @Test func explainingCountsNothingAndSendsNothing() throws {
        let scene = try ComposingScene()
        let song = "/v1/catalog/us/songs/\(try scene.ids("songs", 1)[0])"
        try scene.get(song)
        func counters() -> [Int] {
            Counter.allCases.map { scene.proxy.statistics[$0] }
                + Reason.allCases.map { scene.proxy.statistics[because: $0] }
                + scene.proxy.statistics.notComposed.map(\.count)
        }
        let (before, upstream) = (counters(), scene.upstream)
        for target in [song, song + "?include=albums", "/v1/me/library/songs", "/v1/x", "/v1/catalog/us/charts"] {
            _ = try explained(scene, target)
        }
        #expect(counters() == before && scene.upstream == upstream)
    }

    @Test func entriesInTheFileAloneStayThere() throws {
        let folder = try TemporaryFolder()
        let cache = ResponseCache(file: folder.file("cache.sqlite"))
        let scene = try ComposingScene(cache: cache)
        defer { scene.proxy.stop() }
        let song = "/v1/catalog/us/songs/\(try scene.ids("songs", 1)[0])"
        try scene.get(song)
        cache.flush()
        cache.memory.remove(ComposingScene.key(song))
        let explanation = try explained(scene, song)
        #expect(explanation.action == .hit && !explanation.isInMemory)
        #expect(cache.memory.lookup(ComposingScene.key(song)) == nil, "nothing was promoted")
    }

    @Test func userAndMethodDecideToo() throws {
        let scene = try ComposingScene()
        let personal = try explained(scene, "/v1/me/library/songs")
        #expect(personal.action == .pass && personal.reason == .personal && personal.scope == nil)
        #expect(scene.proxy.explain("/v1/x", carriesUserToken: true)?.reason == .personal)
        #expect(scene.proxy.explain("/v1/x")?.scope == .shared)
        let post = try #require(scene.proxy.explain("/v1/catalog/us/songs/1", .post))
        #expect(post.action == .pass && post.reason == .method)
        #expect(scene.proxy.explain("/v1/catalog/us/songs/1", .trace)?.action == .refuse)
        #expect(scene.proxy.explain("/v1/%00") == nil)
    }

    @Test func aRequestUnderWayWouldBeWaitedFor() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(.ok("{}")), .hold])
        let proxy = try ProxyUnderTest(scripted: origin)
        let song = "/v1/catalog/us/songs/1"
        #expect(proxy.explain(song)?.waitsForAnother == false)
        let client = try proxy.connection(sending: .get(song))
        waitUntil { proxy.statistics[.misses] == 1 }
        #expect(proxy.explain(song)?.waitsForAnother == true)
        #expect(proxy.explain("/v1/catalog/us/songs/2")?.waitsForAnother == false)
        gate.open()
        #expect(client.read(12) == Array("HTTP/1.1 200".utf8))
        #expect(proxy.explain(song)?.waitsForAnother == false)
        client.close()
    }
}
