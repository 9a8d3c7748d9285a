import Cache
import Foundation
import Server
import Store
import TestSupport
import Testing

@testable import Proxy

/// Requests that come again byte for byte are not parsed again; no client may notice.
@Suite struct RepeatedRequestTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    @Test func answersAreTheSameEachTime() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: #"{"data":[{"id":"1"}]}"#) }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        let first = try proxy.client.send("GET", Self.album)
        for number in 1...6 {
            let reply = try proxy.client.send("GET", Self.album)
            #expect(reply.isHit)
            #expect(reply.body == first.body)
            #expect(reply.status == 200)
            #expect(reply.field("Date") != nil)
            #expect(reply.field("Content-Length") == "21")
            #expect(proxy.statistics[.hits] == number)
            #expect(proxy.statistics[.requests] == number + 1)
        }
        #expect(origin.requests.count == 1)
        let lines = try proxy.finalLog().filter { $0.contains("GET \(Self.album) HTTP/1.1") }
        #expect(lines.count == 7)
        #expect(lines.dropFirst().allSatisfy { $0.contains("\" 200 21 ") && $0.contains("\" hit 0.") })
    }

    @Test func whatRanOutIsFetchedAgain() throws {
        let clock = ManualClock(1_800_000_000)
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "{}") }
        let policy = Policy(.albums, .fixed(60, stale: 0))
        let proxy = try ProxyUnderTest(
            originPort: origin.port, policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds })
        for round in 1...3 {
            for _ in 0..<5 { _ = try proxy.client.send("GET", Self.album) }
            #expect(origin.requests.count == round)
            clock.advance(seconds: 61)
        }
    }

    @Test func aRemovedOrPurgedAnswerIsFetchedAgain() throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 16 << 20), store: nil)
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "{}") }
        let proxy = try ProxyUnderTest(originPort: origin.port, cache: cache)
        for _ in 0..<5 { _ = try proxy.client.send("GET", Self.album) }
        cache.remove(CacheKey(scope: .shared, target: Array(Self.album.utf8)))
        #expect(try !proxy.client.send("GET", Self.album).isHit)
        #expect(origin.requests.count == 2)
        for _ in 0..<5 { _ = try proxy.client.send("GET", Self.album) }
        cache.purgeAndWait(EntrySelection(), .soft, at: Int64(Date().timeIntervalSince1970))
        let stale = try proxy.client.send("GET", Self.album)
        #expect(stale.field("Cache-Status")?.contains("stale-while-revalidate") == true)
        waitUntil { origin.requests.count == 3 }
    }

    /// Each has bytes of its own, and each says how it wants to be answered.
    @Test func methodsConditionsAndOriginsKeepTheirMeaning() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(fields: [("ETag", "\"a\"")], body: "{}") }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        _ = try proxy.client.send("GET", Self.album)
        for _ in 0..<4 {
            #expect(try proxy.client.send("HEAD", Self.album).body.isEmpty)
            #expect(try proxy.client.send("GET", Self.album, fields: [("If-None-Match", "\"a\"")]).status == 304)
            #expect(try proxy.client.send("GET", Self.album, fields: [("Range", "bytes=1-1")]).body == Data("}".utf8))
            let page = try proxy.client.send("GET", Self.album, fields: [("Origin", "https://app.example")])
            #expect(page.field("Access-Control-Allow-Origin") == "*")
            #expect(try proxy.client.send("GET", Self.album).field("Access-Control-Allow-Origin") == nil)
        }
        #expect(origin.requests.count == 1)
    }

    /// Large answers leave as files from the second hit on.
    @Test func largeAnswersArriveWhole() throws {
        let letters = String((0..<399_992).map { Character(UnicodeScalar(UInt8($0 % 26 + 97))) })
        let body = "{\"a\":\"\(letters)\"}"
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: body) }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        for _ in 0..<6 {
            #expect(try proxy.client.send("GET", Self.album).body == Data(body.utf8))
            let part = try proxy.client.send("GET", Self.album, fields: [("Range", "bytes=100-199")])
            #expect(part.body == Data(body.utf8)[100..<200])
            #expect(try proxy.client.send("HEAD", Self.album).field("Content-Length") == "400000")
        }
        #expect(origin.requests.count == 1)
    }

    /// A client's `Connection` field holds, however often it is sent.
    @Test(arguments: [
        ("HTTP/1.1", "Connection: close\r\n", "Connection: close\r\n"), ("HTTP/1.0", "", "Connection: close\r\n"),
        ("HTTP/1.0", "Connection: keep-alive\r\n", "Connection: keep-alive\r\n"),
    ])
    func connectionsEndAsTheyWould(version: String, fields: String, expected: String) throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "{}") }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        for _ in 0..<5 {
            let client = try proxy.connection(sending: "GET \(Self.album) \(version)\r\nHost: x\r\n\(fields)\r\n")
            if expected.contains("keep-alive") {
                try client.send("GET \(Self.album) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            }
            let answer = client.readText()
            #expect(answer.contains(expected))
            #expect(answer.hasSuffix("\r\n\r\n{}"))
        }
    }

    /// In pieces and several at once, among them some that are known.
    @Test func knownRequestsKeepTheirPlaceAmongOthers() throws {
        let origin = try FakeOrigin { FakeOrigin.Reply(body: "{\"path\":\"\($0.target)\"}") }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        for _ in 0..<4 { _ = try proxy.client.send("GET", Self.album) }
        let known = "GET \(Self.album) HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n"
        let other = "GET /v1/catalog/us/albums/2 HTTP/1.1\r\nHost: x\r\n\r\n"
        let last = "GET \(Self.album) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        for cut in [1, 20, known.utf8.count, known.utf8.count + 1] {
            let client = try RawClient(port: UInt16(proxy.port))
            let bytes = Array((known + other + known + last).utf8)
            try client.send(Array(bytes[..<cut]))
            usleep(5_000)
            try client.send(Array(bytes[cut...]))
            let bodies = client.readText().components(separatedBy: "{\"path\":\"")
                .dropFirst()
            #expect(
                bodies.map { $0.prefix { $0 != "\"" } } == [
                    Self.album[...], "/v1/catalog/us/albums/2", Self.album[...], Self.album[...],
                ])
        }
    }
}
