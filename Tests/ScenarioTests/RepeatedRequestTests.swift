import Cache
import Foundation
import Purging
import Store
import TestSupport
import Testing

@testable import Proxy

/// Requests that come again byte for byte are not parsed again; no client may notice.
@Suite(.timeLimit(.minutes(10))) struct RepeatedRequestTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    @Test func answersAreTheSameEachTime() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: #"{"data":[{"id":"1"}]}"#)))
        let first = try proxy.client.send("GET", Self.album)
        #expect(first.field("Cache-Status") == "refrain; fwd=uri-miss; fwd-status=200; stored; ttl=86400")
        for number in 1...6 {
            let reply = try proxy.client.send("GET", Self.album)
            #expect(reply.isHit && reply.status == 200 && reply.body == first.body)
            #expect(reply.field("Date") != nil && reply.field("Age") != nil && reply.field("Content-Length") == "21")
            #expect(reply.field("Content-Type") == "application/json" && reply.field("Via") == "1.1 refrain")
            #expect(proxy.statistics[.hits] == number && proxy.statistics[.requests] == number + 1)
        }
        #expect(proxy.statistics[.misses] == 1)
        #expect(proxy.origin.requests.count == 1)
        let lines = try proxy.finalLog().filter { $0.contains("GET \(Self.album) HTTP/1.1") }
        #expect(lines.count == 7)
        #expect(lines.dropFirst().allSatisfy { $0.contains("\" 200 21 ") && $0.contains("\" hit 0.") })
    }

    @Test func whatRanOutIsFetchedAgain() throws {
        let scene = try ScriptedScene(policy: Policy(.albums, .fixed(60, stale: 0))) { _ in FakeOrigin.Reply() }
        for round in 1...3 {
            for _ in 0..<5 { _ = try scene.proxy.client.send("GET", Self.album) }
            #expect(scene.upstream.count == round)
            scene.clock.advance(seconds: 61)
        }
    }

    @Test func aRemovedOrPurgedAnswerIsFetchedAgain() throws {
        let cache = ResponseCache()
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: "{}")), cache: cache)
        for _ in 0..<5 { _ = try proxy.client.send("GET", Self.album) }
        cache.remove(CacheKey(of: .none, scope: .shared, target: Array(Self.album.utf8)))
        #expect(try !proxy.client.send("GET", Self.album).isHit)
        #expect(proxy.origin.requests.count == 2)
        for _ in 0..<5 { _ = try proxy.client.send("GET", Self.album) }
        cache.purgeAndWait(EntrySelection(), .soft, at: Int64(Date().timeIntervalSince1970))
        let stale = try proxy.client.send("GET", Self.album)
        #expect(stale.field("Cache-Status")?.contains("stale-while-revalidate") == true)
        waitUntil { proxy.origin.requests.count == 3 }
    }

    /// Each has bytes of its own, and each says how it wants to be answered.
    @Test func methodsConditionsAndOriginsKeepTheirMeaning() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(fields: [("ETag", "\"a\"")], body: "{}")))
        _ = try proxy.client.send("GET", Self.album)
        for _ in 0..<4 {
            #expect(try proxy.client.send("HEAD", Self.album).body.isEmpty)
            #expect(try proxy.client.send("GET", Self.album, fields: [("If-None-Match", "\"a\"")]).status == 304)
            #expect(try proxy.client.send("GET", Self.album, fields: [("Range", "bytes=1-1")]).body == Data("}".utf8))
            let page = try proxy.client.send("GET", Self.album, fields: [("Origin", "https://app.example")])
            #expect(page.field("Access-Control-Allow-Origin") == "*")
            #expect(page.field("Access-Control-Expose-Headers")?.contains("Cache-Status") == true)
            #expect(try proxy.client.send("GET", Self.album).field("Access-Control-Allow-Origin") == nil)
        }
        #expect(proxy.origin.requests.count == 1)
    }

    /// Large answers leave as files from the second hit on.
    @Test func largeAnswersArriveWhole() throws {
        let letters = String((0..<399_992).map { Character(UnicodeScalar(UInt8($0 % 26 + 97))) })
        let body = "{\"a\":\"\(letters)\"}"
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: body)))
        for _ in 0..<6 {
            #expect(try proxy.client.send("GET", Self.album).body == Data(body.utf8))
            let part = try proxy.client.send("GET", Self.album, fields: [("Range", "bytes=100-199")])
            #expect(part.body == Data(body.utf8)[100..<200])
            #expect(try proxy.client.send("HEAD", Self.album).field("Content-Length") == "400000")
        }
        #expect(proxy.origin.requests.count == 1)
    }

    /// A client's `Connection` field holds, however often it is sent.
    @Test(arguments: [
        ("HTTP/1.1", "Connection: close\r\n", "Connection: close\r\n"), ("HTTP/1.0", "", "Connection: close\r\n"),
        ("HTTP/1.0", "Connection: keep-alive\r\n", "Connection: keep-alive\r\n"),
    ])
    func connectionsEndAsTheyWould(version: String, fields: String, expected: String) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: "{}")))
        for _ in 0..<5 {
            let client = try proxy.connection(sending: "GET \(Self.album) \(version)\r\nHost: x\r\n\(fields)\r\n")
            if expected.contains("keep-alive") { try client.send(.get(Self.album, closes: true)) }
            let answer = client.readText()
            #expect(answer.contains(expected) && answer.hasSuffix("\r\n\r\n{}"))
        }
    }

    /// In pieces and several at once, among them some that are known.
    @Test func knownRequestsKeepTheirPlaceAmongOthers() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin { FakeOrigin.Reply(body: "{\"path\":\"\($0.target)\"}") })
        for _ in 0..<4 { _ = try proxy.client.send("GET", Self.album) }
        let known = "GET \(Self.album) HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n"
        let requests = [known, .get("/v1/catalog/us/albums/2"), known, .get(Self.album, closes: true)]
        let bytes = Array(requests.joined().utf8)
        for cut in [1, 20, known.utf8.count, known.utf8.count + 1] {
            let client = try proxy.connection()
            try client.send(Array(bytes[..<cut]))
            usleep(5_000)
            try client.send(Array(bytes[cut...]))
            let bodies = client.readText().components(separatedBy: "{\"path\":\"").dropFirst()
            #expect(
                bodies.map { $0.prefix { $0 != "\"" } } == [
                    Self.album[...], "/v1/catalog/us/albums/2", Self.album[...], Self.album[...],
                ])
        }
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
}
