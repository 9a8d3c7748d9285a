import Foundation
import Freshness
import TestSupport
import Testing

@testable import HTTP
@testable import Proxy

/// Content codings from the origin to the client, over real sockets.
@Suite(.timeLimit(.minutes(10)), .requires(.zlib)) struct GzipTests {
    private static let album = "/v1/catalog/us/albums/310730204"
    private static let body = songs(40)
    private static let gzip = [("Accept-Encoding", "gzip, deflate, br")]

    private static func songs(_ count: Int) -> String {
        let items = (1...count).map {
            "{\"id\":\"\($0)\",\"type\":\"songs\",\"attributes\":{\"name\":\"Song \($0 * 7)\"}}"
        }
        return "{\"data\":[" + items.joined(separator: ",") + "]}"
    }

    /// A proxy before an origin that answers in gzip when it is asked to.
    private static func scene(
        fields: [(String, String)] = [("ETag", "\"abc\"")], always: Bool = false, policy: Policy = Policy(),
        coding: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> ScriptedScene {
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        return try ScriptedScene(policy: policy) { request in
            guard always || request.field("Accept-Encoding") == "gzip" else {
                return FakeOrigin.Reply(fields: fields, body: body)
            }
            return FakeOrigin.Reply(fields: fields + [("Content-Encoding", "gzip")], bytes: coding(coded))
        }
    }

    /// The content as a client reads it, by the proxy's inflater (`HTTPTests/GzipTests`).
    private static func content(_ reply: HTTPTestClient.Reply) throws -> String {
        guard reply.field("Content-Encoding") == "gzip" else { return String(decoding: reply.body, as: UTF8.self) }
        return String(decoding: try Gzip.system.inflate(Array(reply.body)), as: UTF8.self)
    }

    /// RFC 9110 7.7: under the origin's own rules a proxy leaves content as it is. Without zlib, an
    /// origin that was asked for gzip would send what nothing here can read.
    @Test(arguments: [true, false]) func nothingIsCompressedWhereItMayNotBe(hasZlib: Bool) throws {
        let fields = [("ETag", "\"abc\""), ("Cache-Control", "max-age=600")]
        let origin = try FakeOrigin(.init(fields: fields, body: Self.body))
        let policy = hasZlib ? Policy(.albums, .upstream) : Policy()
        let proxy = try ProxyUnderTest(before: origin, policy: policy, gzip: hasZlib ? .system : .absent)
        for round in 0..<4 {
            let reply = try proxy.client.send("GET", Self.album, fields: Self.gzip)
            #expect(reply.field("Content-Encoding") == nil && reply.field("Vary") == nil)
            #expect(reply.body == Data(Self.body.utf8) && reply.field("ETag") == "\"abc\"")
            #expect(reply.isHit == (round > 0))
            proxy.settings.shared.settle()
        }
        #expect(proxy.origin.requests.map { $0.field("Accept-Encoding") } == ["identity"])
    }

    @Test func everyClientGetsWhatItAccepts() throws {
        let scene = try Self.scene()
        let client = scene.proxy.client
        for round in 0..<6 {
            for (fields, tag) in [([], "\"abc\""), (Self.gzip, "\"abc-gzip\"")] {
                let reply = try client.send("GET", Self.album, fields: fields)
                #expect(try Self.content(reply) == Self.body && reply.isHit == (round > 0 || !fields.isEmpty))
                #expect(reply.field("Content-Encoding") == (fields.isEmpty ? nil : "gzip"))
                #expect(reply.field("ETag") == tag && reply.field("Vary") == "Accept-Encoding")
                #expect(fields.isEmpty || reply.body.count * 4 < Self.body.utf8.count)
                let head = try client.send("HEAD", Self.album, fields: fields)
                #expect(head.field("Content-Length") == "\(reply.body.count)")
                #expect(head.field("Content-Encoding") == reply.field("Content-Encoding"))
                // A condition may name either form.
                for asked in ["\"abc\"", "\"abc-gzip\""] {
                    let same = try client.send("GET", Self.album, fields: fields + [("If-None-Match", asked)])
                    #expect(same.status == 304 && same.field("ETag") == tag && same.field("Vary") == "Accept-Encoding")
                }
            }
        }
        let part = try client.send("GET", Self.album, fields: Self.gzip + [("Range", "bytes=0-7")])
        #expect(part.status == 206 && part.body == Data(Self.body.utf8.prefix(8)))
        #expect(part.field("Content-Encoding") == nil && part.field("ETag") == "\"abc\"")
        let none = try client.send("GET", Self.album, fields: Self.gzip + [("Range", "bytes=99999999-")])
        #expect(none.status == 416 && none.field("Content-Range") == "bytes */\(Self.body.utf8.count)")
        #expect(scene.origin.requests.map { $0.field("Accept-Encoding") } == ["gzip"])
    }

    /// From the second client on, by the first one's asking.
    @Test func plainAnswersAreCompressedOnTheSecondRequest() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(fields: [("ETag", "\"abc\"")], body: Self.body) }
        let first = try scene.proxy.client.send("GET", Self.album, fields: Self.gzip)
        #expect(first.field("Content-Encoding") == nil && first.field("ETag") == "\"abc\"")
        scene.proxy.settings.shared.settle()
        let reply = try scene.proxy.client.send("GET", Self.album, fields: Self.gzip)
        #expect(try reply.field("Content-Encoding") == "gzip" && Self.content(reply) == Self.body)
        #expect(reply.field("ETag") == "\"abc-gzip\"" && reply.field("Vary") == "Accept-Encoding")
        #expect(try scene.proxy.client.send("GET", Self.album).body == Data(Self.body.utf8))
        #expect(scene.origin.requests.count == 1)
    }

    @Test(arguments: ["/v1/me/library/songs", "/v1/catalog/us/songs/1"])
    func personalAndSmallAnswersAreNotCompressed(target: String) throws {
        let body = target.hasSuffix("/1") ? "{\"data\":[]}" : Self.body
        let scene = try ScriptedScene(policy: Policy(.personal, .fixed(600, stale: 0))) { request in
            let isCompressible = request.target == Self.album
            return FakeOrigin.Reply(fields: [("Cache-Control", "max-age=600")], body: isCompressible ? Self.body : body)
        }
        let fields = Self.gzip + (target.contains("/me/") ? [("Music-User-Token", "anna")] : [])
        for _ in 0..<5 {
            let reply = try scene.proxy.client.send("GET", target, fields: fields)
            #expect(reply.field("Content-Encoding") == nil && reply.body == Data(body.utf8))
        }
        // One thread compresses in turn, so nothing waits before an answer that comes out of it.
        waitUntil {
            (try? scene.proxy.client.send("GET", Self.album, fields: Self.gzip))?.field("Content-Encoding") == "gzip"
        }
        #expect(try scene.proxy.client.send("GET", target, fields: fields).field("Content-Encoding") == nil)
        #expect(scene.origin.requests.filter { $0.target == target }.map { $0.field("Accept-Encoding") } == ["gzip"])
    }

    @Test(arguments: ["truncated", "empty"]) func damagedGzipIsAskedForOnceMore(damage: String) throws {
        let scene = try Self.scene(always: true) { damage == "empty" ? [] : $0.dropLast(20) }
        for fields in [Self.gzip, []] {
            let reply = try scene.proxy.client.send("GET", Self.album, fields: fields)
            #expect(reply.status == 502 && reply.field("Content-Encoding") == nil)
            #expect(reply.field("Cache-Status")?.contains("detail=upstream-malformed") == true)
        }
        #expect(scene.proxy.cache.memory.count == 0)
        let asked = scene.origin.requests.map { $0.field("Accept-Encoding") }
        #expect(asked == ["gzip", "identity", "gzip", "identity"])
        #expect(scene.proxy.statistics[.upstreamErrors] == 4)
    }

    /// A gzip of several members is legal (RFC 1952 2.2), and so is much that shrinks a lot: both
    /// were a 502. An error in damaged gzip was counted by its status, and again by its coding.
    @Test(arguments: ["members", "ratio", "error"]) func unreadableGzipIsAskedForUncompressed(kind: String) throws {
        let zeros = String(repeating: "0", count: 1 << 20)
        let body = kind == "ratio" ? "{\"a\":\"\(zeros)\"}" : Self.body
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        let bytes = ["members": coded + coded, "ratio": coded, "error": Array("no gzip".utf8)][kind]
        let scene = try ScriptedScene { request in
            guard request.field("Accept-Encoding") == "gzip" else { return FakeOrigin.Reply(body: body) }
            return FakeOrigin.Reply(
                status: kind == "error" ? 503 : 200, fields: [("Content-Encoding", "gzip")], bytes: bytes)
        }
        for _ in 0..<2 {
            let reply = try scene.proxy.client.send("GET", Self.album)
            #expect(reply.status == 200 && reply.body == Data(body.utf8))
        }
        #expect(scene.origin.requests.map { $0.field("Accept-Encoding") } == ["gzip", "identity"])
        #expect(scene.proxy.statistics[.upstreamErrors] == 1)
    }

    @Test func errorsInGzipArePassedOnAsTheyAre() throws {
        let coded = try #require(Gzip.system.deflate(Array(Self.body.utf8)))
        let reply = FakeOrigin.Reply(status: 500, fields: [("Content-Encoding", "gzip")], bytes: coded)
        let proxy = try ProxyUnderTest(before: FakeOrigin(reply))
        let error = try proxy.client.send("GET", Self.album, fields: Self.gzip)
        #expect(error.status == 500 && error.field("Content-Encoding") == nil && error.body == Data(Self.body.utf8))
    }

    /// Pages of a library, and answers to writes, were eight times as long as Apple sends them.
    @Test(arguments: ["off", "kept"]) func personalAnswersAreSentInGzip(personal: String) throws {
        let scene = try Self.scene(policy: Policy(.personal, personal == "kept" ? .fixed(600, stale: 0) : .off))
        let (target, user) = ("/v1/me/library/songs", [("Music-User-Token", "anna")])
        for _ in 0..<2 {
            let coded = try scene.proxy.client.send("GET", target, fields: Self.gzip + user)
            #expect(coded.field("Content-Encoding") == "gzip" && coded.field("Cache-Control") == "private, no-store")
            #expect(try Self.content(coded) == Self.body && coded.body.count * 4 < Self.body.utf8.count)
            let plain = try scene.proxy.client.send("GET", target, fields: user)
            #expect(plain.field("Content-Encoding") == nil && plain.body == Data(Self.body.utf8))
        }
        #expect(scene.origin.requests.count == (personal == "kept" ? 1 : 4))
        for fields in [Self.gzip, []] {
            let reply = try scene.proxy.client.send(
                "POST", "/v1/me/library/playlists", fields: fields + user, body: Data("{}".utf8))
            #expect(reply.field("Content-Encoding") == (fields.isEmpty ? nil : "gzip"))
            #expect(try Self.content(reply) == Self.body)
        }
    }

    /// A cookie travels by itself, as the attack BREACH needs it. One that names no user shapes no
    /// answer, and cost its clients the coding.
    @Test(arguments: [TTLRule.off, .fixed(600, stale: 0)])
    func aUserNamedByACookieGetsNoGzip(personal: TTLRule) throws {
        let scene = try Self.scene(policy: Policy(.personal, personal))
        let target = "/v1/me/library/songs"
        for _ in 0..<2 {
            let reply = try scene.proxy.client.send(
                "GET", target, fields: Self.gzip + [("Cookie", "a=b; media-user-token=anna")])
            #expect(reply.field("Content-Encoding") == nil && reply.body == Data(Self.body.utf8))
        }
        #expect(scene.origin.requests.map { $0.field("Accept-Encoding") } == ["identity", "identity"])
        let other = try scene.proxy.client.send(
            "GET", target, fields: Self.gzip + [("Music-User-Token", "anna"), ("Cookie", "a=b")])
        #expect(try other.field("Content-Encoding") == "gzip" && Self.content(other) == Self.body)
    }
}
