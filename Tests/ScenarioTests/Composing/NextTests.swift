import Compose
import Proxy
import TestSupport
import Testing

/// `next complete`: a followed `next` keeps the client's parameters (APPLE-MUSIC-API 7.4).
@Suite(.timeLimit(.minutes(10))) struct NextTests {
    private static let complete: CompositionSettings = {
        var settings = CompositionSettings.byExample()
        settings.completesNext = true
        return settings
    }()

    private func next(_ reply: HTTPTestClient.Reply) -> String? { (reply.json as? [String: Any])?["next"] as? String }

    private func names(_ reply: HTTPTestClient.Reply) -> [String] {
        let data = (reply.json as? [String: Any])?["data"] as? [[String: Any]] ?? []
        return data.compactMap { ($0["attributes"] as? [String: Any])?["name"] as? String }
    }

    @Test func theParametersAreInEveryKindOfAnswer() throws {
        let scene = try ListScene(Self.complete)
        let first = ListScene.target(1, "extend=x&include=artists&l=de-DE&limit=100&offset=0")
        let written = "?extend=x&include=artists&l=de-DE&limit=100&offset=100"
        let fetched = try scene.proxy.client.send("GET", first)
        #expect(next(fetched) == ListScene.target(1) + written)
        let tag = try #require(fetched.field("ETag"))
        #expect(tag != "\"of the origin\"")
        let stored = try scene.proxy.client.send("GET", first)
        #expect(stored.isHit && stored.body == fetched.body && stored.field("ETag") == tag)
        #expect(try scene.proxy.client.send("GET", first, fields: [("If-None-Match", tag)]).status == 304)
        let window = ListScene.target(1, "extend=x&include=artists&l=de-DE&limit=7&offset=3")
        let composed = try scene.proxy.client.send("GET", window)
        #expect(composed.field("Cache-Status")?.contains("detail=window") == true)
        #expect(next(composed) == ListScene.target(1, "extend=x&include=artists&l=de-DE&limit=7&offset=10"))
        #expect(scene.upstream.count == 1)
    }

    /// It was changed although the origin's rules count, which forbid that (RFC 9110 7.7).
    @Test(arguments: ["max-age=60, no-transform", "max-age=60"])
    func noTransformIsObeyedUnderTheOriginsRules(control: String) throws {
        let list = ListScene.target(1)
        let scene = try ScriptedScene(Self.complete, policy: Policy(.artists, .upstream)) { _ in
            FakeOrigin.Reply(
                fields: [("Content-Type", "application/json"), ("Cache-Control", control)],
                body: #"{"next":"\#(list)?offset=1","data":[{"id":"1","type":"albums"}]}"#)
        }
        let isKept = control.contains("no-transform")
        for _ in 0..<2 {
            let reply = try scene.proxy.client.send("GET", list + "?limit=1")
            #expect(next(reply) == list + (isKept ? "?offset=1" : "?limit=1&offset=1"))
        }
    }

    @Test(arguments: [7, 60]) func followingItWalksTheWholeList(limit: Int) throws {
        let scene = try ListScene(Self.complete, count: 61, gaps: [4, 30])
        var (target, seen, sizes): (String?, [String], [Int]) = (ListScene.target(1, "limit=\(limit)"), [], [])
        while let asked = target {
            let reply = try scene.proxy.client.send("GET", asked)
            seen += names(reply)
            sizes.append(names(reply).count)
            target = next(reply)
        }
        #expect(seen == (0..<61).filter { $0 != 4 && $0 != 30 }.map { "\($0)" })
        #expect(sizes.allSatisfy { $0 <= limit })
        #expect(scene.upstream.allSatisfy { $0.contains("limit=\(limit)") || limit < 60 })
    }

    @Test func answersThatGoStraightThroughAreCompletedToo() throws {
        let scene = try ComposingScene(Self.complete)
        let user = [("Music-User-Token", "user-anna")]
        var (target, pages): (String?, Int) = ("/v1/me/library/songs?limit=10", 0)
        while let asked = target, pages < 3 {
            #expect(asked.contains("limit=10"))
            let reply = try scene.proxy.client.send("GET", asked, fields: user)
            #expect(reply.status == 200)
            target = next(reply)
            pages += 1
        }
        #expect(pages == 3 && scene.upstream.allSatisfy { $0.contains("limit=10") })
    }
}
