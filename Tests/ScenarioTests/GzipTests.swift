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

    private static func isHit(_ reply: HTTPTestClient.Reply) -> Bool {
        reply.field("Cache-Status")?.contains("hit") == true
    }

    /// The content as a client reads it. The inflater is the proxy's; its tests hold it against RFC
    /// 1952.
    private static func content(_ reply: HTTPTestClient.Reply) throws -> String {
        guard reply.field("Content-Encoding") == "gzip" else { return String(decoding: reply.body, as: UTF8.self) }
        return String(decoding: try Gzip.system.inflate(Array(reply.body)), as: UTF8.self)
    }

    /// RFC 9110 7.7: under the origin's own rules a proxy leaves content as it is.
    @Test func underTheOriginsRulesNothingIsCompressed() throws {
        var policy = Policy()
        policy[.albums] = .upstream
        let scene = try Self.scene(
            fields: [("ETag", "\"abc\""), ("Cache-Control", "max-age=600")], policy: policy)
        for round in 0..<4 {
            let reply = try scene.proxy.client.send("GET", Self.album, fields: Self.gzip)
            #expect(reply.field("Content-Encoding") == nil && reply.body == Data(Self.body.utf8))
            #expect(reply.field("ETag") == "\"abc\"" && Self.isHit(reply) == (round > 0))
            scene.proxy.settings.shared.settle()
        }
        #expect(scene.origin.requests.count == 1 && scene.origin.requests[0].field("accept-encoding") == "identity")
    }

    @Test func everyClientGetsWhatItAccepts() throws {
        let scene = try Self.scene()
        for round in 0..<6 {
            let plain = try scene.proxy.client.send("GET", Self.album)
            let coded = try scene.proxy.client.send("GET", Self.album, fields: Self.gzip)
            #expect(try Self.content(plain) == Self.body && Self.content(coded) == Self.body)
            #expect(Self.isHit(coded) && Self.isHit(plain) == (round > 0))
            #expect(plain.field("Content-Encoding") == nil && coded.field("Content-Encoding") == "gzip")
            #expect(plain.field("ETag") == "\"abc\"" && coded.field("ETag") == "\"abc-gzip\"")
            #expect(plain.field("Vary") == "Accept-Encoding" && coded.field("Vary") == "Accept-Encoding")
            #expect(plain.field("Content-Length") == "\(Self.body.utf8.count)")
            #expect(coded.body.count * 4 < plain.body.count)
        }
        #expect(scene.origin.requests.count == 1 && scene.origin.requests[0].field("Accept-Encoding") == "gzip")
    }

    @Test func conditionsPartsAndHeadsKnowBothForms() throws {
        let scene = try Self.scene()
        let client = scene.proxy.client
        let whole = try client.send("GET", Self.album, fields: Self.gzip)
        for tag in ["\"abc\"", "\"abc-gzip\""] {
            for (fields, own) in [([], "\"abc\""), (Self.gzip, "\"abc-gzip\"")] {
                let reply = try client.send("GET", Self.album, fields: fields + [("If-None-Match", tag)])
                #expect(reply.status == 304 && reply.field("ETag") == own)
                #expect(reply.field("Vary") == "Accept-Encoding")
            }
        }
        let part = try client.send("GET", Self.album, fields: Self.gzip + [("Range", "bytes=0-7")])
        #expect(part.status == 206 && part.body == Data(Self.body.utf8.prefix(8)))
        #expect(part.field("Content-Encoding") == nil && part.field("ETag") == "\"abc\"")
        let head = try client.send("HEAD", Self.album, fields: Self.gzip)
        #expect(head.field("Content-Length") == "\(whole.body.count)" && head.field("Content-Encoding") == "gzip")
        #expect(try client.send("HEAD", Self.album).field("Content-Length") == "\(Self.body.utf8.count)")
        let none = try client.send("GET", Self.album, fields: Self.gzip + [("Range", "bytes=99999999-")])
        #expect(none.status == 416 && none.field("Content-Range") == "bytes */\(Self.body.utf8.count)")
        #expect(scene.origin.requests.count == 1)
    }

    /// An origin that was asked for gzip would send what nothing here can read.
    @Test func withoutZlibNoGzipIsAskedForOrSent() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(fields: [("ETag", "\"abc\"")], body: Self.body) }
        let proxy = try ProxyUnderTest(originPort: origin.port, gzip: .absent)
        for _ in 0..<3 {
            let reply = try proxy.client.send("GET", Self.album, fields: Self.gzip)
            #expect(reply.field("Content-Encoding") == nil && reply.field("Vary") == nil)
            #expect(reply.field("ETag") == "\"abc\"" && reply.body == Data(Self.body.utf8))
            proxy.settings.shared.settle()
        }
        #expect(origin.requests.map { $0.field("Accept-Encoding") } == ["identity"])
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
        var policy = Policy()
        policy[.personal] = .fixed(600, stale: 0)
        let scene = try ScriptedScene(policy: policy) { request in
            let isCompressible = request.target == Self.album
            return FakeOrigin.Reply(
                fields: [("Cache-Control", "max-age=600")], body: isCompressible ? Self.body : body)
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

    @Test(arguments: ["truncated", "empty"])
    func damagedGzipIsAskedForOnceMore(damage: String) throws {
        let scene = try Self.scene(always: true) { damage == "empty" ? [] : $0.dropLast(20) }
        for fields in [Self.gzip, []] {
            let reply = try scene.proxy.client.send("GET", Self.album, fields: fields)
            #expect(reply.status == 502 && reply.field("Content-Encoding") == nil)
            #expect(reply.field("Cache-Status")?.contains("detail=upstream-malformed") == true)
        }
        #expect(scene.proxy.settings.shared.cache.memory.count == 0)
        let asked = scene.origin.requests.map { $0.field("Accept-Encoding") }
        #expect(asked == ["gzip", "identity", "gzip", "identity"])
        #expect(scene.proxy.statistics[.upstreamErrors] == 4)
    }

    /// A gzip of several members is legal (RFC 1952 2.2), and so is much that shrinks a lot: both
    /// were a 502.
    @Test(arguments: ["members", "ratio"]) func unreadableGzipIsAskedForUncompressed(kind: String) throws {
        let zeros = String(repeating: "0", count: 1 << 20)
        let body = kind == "ratio" ? "{\"a\":\"\(zeros)\"}" : Self.body
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        let scene = try ScriptedScene { request in
            guard request.field("Accept-Encoding") == "gzip" else { return FakeOrigin.Reply(body: body) }
            return FakeOrigin.Reply(
                fields: [("Content-Encoding", "gzip")], bytes: kind == "ratio" ? coded : coded + coded)
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
        let scene = try ScriptedScene { _ in
            FakeOrigin.Reply(status: 500, fields: [("Content-Encoding", "gzip")], bytes: coded)
        }
        let reply = try scene.proxy.client.send("GET", Self.album, fields: Self.gzip)
        #expect(reply.status == 500 && reply.field("Content-Encoding") == nil && reply.body == Data(Self.body.utf8))
    }

    /// A page of a library was eight times as long as Apple sends it.
    @Test(arguments: ["off", "kept"]) func personalAnswersAreSentInGzip(personal: String) throws {
        var policy = Policy()
        policy[.personal] = personal == "kept" ? .fixed(600, stale: 0) : .off
        let scene = try Self.scene(policy: policy)
        let (target, user) = ("/v1/me/library/songs", [("Music-User-Token", "anna")])
        for _ in 0..<2 {
            let coded = try scene.proxy.client.send("GET", target, fields: Self.gzip + user)
            #expect(coded.field("Content-Encoding") == "gzip" && coded.field("Cache-Control") == "private, no-store")
            #expect(try Self.content(coded) == Self.body && coded.body.count * 4 < Self.body.utf8.count)
            let plain = try scene.proxy.client.send("GET", target, fields: user)
            #expect(plain.field("Content-Encoding") == nil && plain.body == Data(Self.body.utf8))
        }
        #expect(scene.origin.requests.count == (personal == "kept" ? 1 : 4))
    }

    /// An answer of 7,320 bytes that is 294 from the origin.
    @Test func answersToWritesAreSentInGzip() throws {
        let scene = try Self.scene()
        let (target, user) = ("/v1/me/library/playlists", [("Music-User-Token", "anna")])
        let coded = try scene.proxy.client.send("POST", target, fields: Self.gzip + user, body: Data("{}".utf8))
        #expect(coded.field("Content-Encoding") == "gzip" && coded.body.count * 4 < Self.body.utf8.count)
        #expect(try Self.content(coded) == Self.body)
        let plain = try scene.proxy.client.send("POST", target, fields: user, body: Data("{}".utf8))
        #expect(plain.field("Content-Encoding") == nil && plain.body == Data(Self.body.utf8))
    }

    /// A cookie travels by itself, as the attack BREACH needs it. One that names no user shapes no
    /// answer, and cost its clients the coding.
    @Test(arguments: [TTLRule.off, .fixed(600, stale: 0)])
    func aUserNamedByACookieGetsNoGzip(personal: TTLRule) throws {
        var policy = Policy()
        policy[.personal] = personal
        let scene = try Self.scene(policy: policy)
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

    /// It was counted by its status, and again by its coding.
    @Test func anErrorInDamagedGzipCountsOnce() throws {
        let scene = try ScriptedScene { request in
            guard request.field("Accept-Encoding") == "gzip" else { return FakeOrigin.Reply(body: Self.body) }
            return FakeOrigin.Reply(status: 503, fields: [("Content-Encoding", "gzip")], body: "no gzip")
        }
        let reply = try scene.proxy.client.send("GET", Self.album)
        #expect(reply.status == 200 && scene.origin.requests.count == 2)
        #expect(scene.proxy.statistics[.upstreamErrors] == 1)
    }
}
