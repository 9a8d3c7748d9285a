import Foundation
import Freshness
import Proxy
import TestSupport
import Testing

/// Answers that something the origin sends with them keeps from being stored.
@Suite(.timeLimit(.minutes(10))) struct UncacheableTests {
    private static let album = "/v1/catalog/us/albums/1"

    private static func varying(by names: String) -> FakeOrigin.Reply {
        FakeOrigin.Reply(fields: [("Vary", names), ("Content-Type", "application/json")], body: #"{"data":[]}"#)
    }

    /// A gateway that named such a field ended all caching, without a word.
    @Test(arguments: [
        "Accept-Language", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers", "User-Agent",
        "Accept", "X-Apple-Store-Front", "Authorization",
    ])
    func aFieldThatStaysHereForbidsNothing(name: String) throws {
        let scene = try ScriptedScene(policy: Policy(.personal, .fixed(600, stale: 0))) { _ in Self.varying(by: name) }
        for language in ["de", "en-US", "de"] {
            let fields = [("Accept-Language", language), ("User-Agent", "app/\(language)"), ("Accept", "*/*")]
            let reply = try scene.proxy.client.send("GET", Self.album, fields: fields)
            #expect(reply.status == 200 && reply.field("Vary")?.contains(name) == true)
            let user = fields + [("Music-User-Token", "anna")]
            #expect(try scene.proxy.client.send("GET", "/v1/me/library/albums/1", fields: user).status == 200)
        }
        #expect(scene.upstream == [Self.album, "/v1/me/library/albums/1"])
        #expect(scene.warnings.all.isEmpty && scene.proxy.statistics[.uncacheable] == 0)
    }

    /// Another `Vary` than before was taken for a contradiction, and the answer asked for again.
    @Test func aConfirmationWithAnotherVaryConfirms() throws {
        let scene = try ScriptedScene(policy: Policy(.albums, .fixed(60, stale: 0))) { request in
            var reply = Self.varying(by: request.field("If-None-Match") == nil ? "Accept" : "User-Agent")
            reply.fields.append(("ETag", "\"a\""))
            if request.field("If-None-Match") != nil { (reply.status, reply.body) = (304, "") }
            return reply
        }
        _ = try scene.proxy.client.send("GET", Self.album)
        scene.clock.advance(seconds: 61)
        #expect(try scene.proxy.client.send("GET", Self.album).status == 200)
        #expect(scene.upstream.count == 2 && scene.proxy.statistics[.revalidated] == 1)
    }

    @Test func theEndOfCachingIsSaidOnceForEachRouteAndCounted() throws {
        let scene = try ScriptedScene { _ in Self.varying(by: "*") }
        for number in [1, 2, 1] {
            let reply = try scene.proxy.client.send("GET", "/v1/catalog/us/albums/\(number)")
            #expect(reply.field("Cache-Status")?.contains("detail=vary") == true)
        }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        let lines = scene.warnings.all.filter { $0.contains("a Vary that no cache key can hold") }
        #expect(lines.count == 2 && lines[0].contains("/v1/catalog/{storefront}/albums/{id}"), "\(scene.warnings.all)")
        #expect(scene.proxy.statistics[.uncacheable] == 4)
        // Outside the API much is not stored under the origin's own rules.
        _ = try scene.proxy.client.send("GET", "/elsewhere")
        #expect(scene.proxy.statistics[.uncacheable] == 4)
    }

    @Test func underTheOriginsRulesItsWordIsTheCause() throws {
        let scene = try ScriptedScene(policy: Policy(.albums, .upstream)) { _ in
            FakeOrigin.Reply(fields: [("Cache-Control", "private, max-age=60")], body: #"{"data":[]}"#)
        }
        for _ in 0..<2 { _ = try scene.proxy.client.send("GET", Self.album) }
        #expect(scene.warnings.all.count { $0.contains("with private; such answers are not stored (private)") } == 1)
        #expect(scene.proxy.statistics[.uncacheable] == 2)
    }
}
