import Foundation
import Server
import TestSupport
import Testing

/// How the proxy treats its clients' connections, seen through a raw socket.
@Suite(.timeLimit(.minutes(10))) struct ClientConnectionTests {
    private static let album = "/v1/catalog/us/albums/1"

    @Test func expectContinueIsAnswered() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        let client = try proxy.connection(
            sending: "PUT /v1/me/ratings/songs/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                + "Expect: 100-continue\r\nConnection: close\r\n\r\n")
        #expect(client.read(25) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        try client.send("{}")
        #expect(client.readText().hasPrefix("HTTP/1.1 200 OK\r\n"))
        let request = try #require(proxy.origin.requests.first)
        #expect(request.body == Array("{}".utf8) && request.field("expect") == nil)
    }

    /// The refusal once took the answered request's bytes off the buffer again, which trapped.
    @Test func garbageAfterALateAnswerIsRefused() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        let answer = try proxy.connection(sending: String.get(Self.album) + "GARBAGE\r\n\r\n").readText()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("HTTP/1.1 400 Bad Request\r\n"))
        #expect(try proxy.client.send("GET", Self.album).status == 200)
    }

    /// A client that does not read cannot make the proxy hold more than one answer for it.
    @Test func aClientThatDoesNotReadStopsBeingServed() throws {
        let body = "\"" + String(repeating: "x", count: 1 << 20) + "\""
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: body)))
        _ = try proxy.client.send("GET", Self.album)
        let client = try proxy.connection(receiveBuffer: 4096)
        for _ in 0..<50 { try client.send(.get(Self.album)) }
        // Others are served meanwhile, and not all fifty have been taken up.
        for _ in 0..<20 { #expect(try proxy.client.send("GET", Self.album).status == 200) }
        #expect(proxy.statistics[.requests] < 50)
        client.reset()
    }

    /// The second request of a pipeline failed at the origin after its client had been reset:
    /// logging it read the head of a request that was gone, which trapped.
    @Test func failuresForDepartedClientsAreLogged() throws {
        let origin = try FakeOrigin { _ in
            usleep(30_000)
            return FakeOrigin.Reply(hangsUp: true)
        }
        let proxy = try ProxyUnderTest(before: origin)
        for index in 0..<5 {
            let asked = origin.requests.count
            let requests = [1, 2].map { String.get("/v1/catalog/us/albums/\(index)\($0)") }
            let client = try proxy.connection(sending: requests.joined())
            waitUntil { origin.requests.count > asked }
            client.reset()
        }
        let reply = try proxy.client.send("GET", Self.album)
        let errors = (reply.json as? [String: Any])?["errors"] as? [[String: Any]]
        #expect(reply.status == 502 && errors?.first?["status"] as? String == "502", "Apple's shape of an error")
        #expect((errors?.first?["id"] as? String)?.count == 26)
        #expect(try proxy.finalLog().contains { $0.contains(" 502 ") })
    }

    /// Such an answer ends with its connection alone, so half of one must end in a reset.
    @Test func aBrokenStreamedAnswerEndsInAReset() throws {
        let chunk = "100000\r\n" + String(repeating: "x", count: 1 << 20) + "\r\n"
        let origin = try ScriptedOrigin([
            .request, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .send(String(repeating: chunk, count: 10)), .close,
        ])
        let proxy = try ProxyUnderTest(scripted: origin)
        let (answer, ended) = try proxy.connection(sending: "GET \(Self.album) HTTP/1.0\r\n\r\n").readToEnd()
        #expect(!ended, "half an answer must not look whole: \(answer.count) bytes")
    }

    /// The client goes before the origin has answered; the answer is stored all the same.
    @Test func aClientThatLeavesDoesNotCancelTheFill() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let proxy = try ProxyUnderTest(before: FakeOrigin(after: mayAnswer))
        let client = try proxy.connection(sending: .get(Self.album))
        waitUntil { !proxy.origin.requests.isEmpty }
        client.reset()
        // An answer of the proxy's own: its loop has seen the earlier events by then.
        #expect(try proxy.client.send("TRACE", "/").status == 405)
        mayAnswer.signal()
        waitUntil { proxy.statistics[.stored] > 0 }
        #expect(try proxy.client.send("GET", Self.album).isHit)
    }

    private static let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"

    /// Sends two interim responses, the answer, and one too late.
    private final class Hinting: Service {
        func handle(_ connection: ClientConnection) {
            connection.sendInterim(status: 103, fields: Array("Link: </a>\r\n".utf8))
            connection.sendInterim(status: 102, fields: [])
            connection.respond(content: Array("ok".utf8)) { $0.append("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n") }
            connection.sendInterim(status: 103, fields: [])
        }
    }

    /// Clients of HTTP/1.0 get none of them.
    @Test(arguments: ["HTTP/1.1", "HTTP/1.0"]) func interimResponsesComeBeforeTheAnswer(version: String) throws {
        let host = try ServiceHost.local { _ in Hinting() }
        defer { host.stop() }
        let client = try RawClient(port: host.address.port)
        try client.send("GET / \(version)\r\nHost: x\r\nConnection: close\r\n\r\n")
        let (text, before) = (client.readText(), version == "HTTP/1.1" ? Self.interim : "")
        #expect(text.hasPrefix(before + "HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nok"), "\(text)")
        #expect(text.components(separatedBy: "HTTP/1.1").count == (before.isEmpty ? 2 : 4), "\(text)")
    }
}
