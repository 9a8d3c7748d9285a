import Foundation
import Freshness
import Proxy
import TestSupport
import Testing

/// HEAD requests for answers that are not stored.
@Suite(.timeLimit(.minutes(10))) struct HeadTests {
    private static let album = "/v1/catalog/us/albums/1"
    private static let body = #"{"data":[{"id":"1","type":"albums"}]}"#

    /// Link checkers and players that look first cost a request, and the GET after them another.
    @Test func aHeadOfTheCatalogFetchesTheWholeAnswer() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: Self.body)))
        let first = try proxy.client.send("HEAD", Self.album)
        #expect(first.status == 200 && first.body.isEmpty && first.field("Content-Length") == "\(Self.body.utf8.count)")
        #expect(first.field("Cache-Status")?.contains("fwd=uri-miss") == true)
        for method in ["HEAD", "GET"] {
            let reply = try proxy.client.send(method, Self.album)
            #expect(reply.field("Cache-Status")?.hasPrefix("refrain; hit") == true)
            #expect(reply.body == Data((method == "GET" ? Self.body : "").utf8))
            #expect(reply.field("Content-Length") == first.field("Content-Length"))
        }
        #expect(proxy.origin.requests.map(\.method) == ["GET"])
    }

    @Test(arguments: [404, 400, 401, 500, 200]) func anAnswerThatIsNotKeptHasTheHeadOfAGet(status: Int) throws {
        let reply = FakeOrigin.Reply(
            status: status, fields: [("Vary", status == 200 ? "*" : "Accept"), ("ETag", "\"a\"")], body: Self.body)
        let proxy = try ProxyUnderTest(before: FakeOrigin(reply))
        let head = try proxy.client.send("HEAD", Self.album)
        let get = try proxy.client.send("GET", Self.album)
        #expect(head.status == status && get.status == status && head.body.isEmpty)
        #expect(head.field("Content-Length") == get.field("Content-Length") && get.body == Data(Self.body.utf8))
        #expect(head.field("ETag") == get.field("ETag"))
        // The connection goes on.
        #expect(try proxy.client.send("HEAD", Self.album).status == status)
    }

    /// More than is collected: the head is the answer, and the rest is not waited for.
    @Test func theHeadOfALargeAnswerEndsTheFetch() throws {
        let size = 9 << 20
        let proxy = try ProxyUnderTest(
            before: FakeOrigin(.init(body: "{\"data\":[\"" + String(repeating: "x", count: size) + "\"]}")))
        for _ in 0..<2 {
            let reply = try proxy.client.send("HEAD", Self.album)
            #expect(reply.status == 200 && reply.body.isEmpty && reply.field("Content-Length") == "\(size + 13)")
        }
        #expect(try proxy.client.send("GET", Self.album).body.count == size + 13)
        #expect(try proxy.finalLog().count == 3)
    }

    /// Under the origin's rules a HEAD may confirm or update what is stored (RFC 9111 4.3.5), and
    /// outside the API a GET may bring anything of any size.
    @Test(arguments: ["/elsewhere", "/v1/unknown", album]) func elsewhereAHeadStaysOne(target: String) throws {
        let proxy = try ProxyUnderTest(
            before: FakeOrigin(.init(fields: [("Cache-Control", "max-age=60")], body: Self.body)),
            policy: Policy(.albums, .upstream))
        #expect(try proxy.client.send("HEAD", target).status == 200)
        #expect(proxy.origin.requests.map(\.method) == ["HEAD"])
    }
}
