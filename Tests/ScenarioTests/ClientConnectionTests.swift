import EventLoop
import Foundation
import HTTP
import Proxy
import TestSupport
import Testing

@testable import Server

/// How the proxy treats its clients' connections, seen through a raw socket.
@Suite(.timeLimit(.minutes(10))) struct ClientConnectionTests {
    private static let get = "GET /v1/catalog/us/albums/1 HTTP/1.1\r\nHost: x\r\n\r\n"

    private func withProxy(
        body: String = "{}", timeouts: ClientTimeouts = .ofTests,
        _ test: (ProxyUnderTest, FakeOrigin) throws -> Void
    ) throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: body) }
        let proxy = try ProxyUnderTest(originPort: origin.port, timeouts: timeouts)
        defer { proxy.stop() }
        try test(proxy, origin)
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        try withProxy { proxy, origin in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send(
                (1...40).map { "GET /v1/catalog/us/albums/\($0 % 3) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
                    + "GET /v1/catalog/us/albums/9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let answer = text(client.read())
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK\r\n").count - 1 == 41)
            #expect(answer.components(separatedBy: "Connection: close\r\n").count - 1 == 1)
            #expect(origin.requests.map(\.target) == [1, 2, 0, 9].map { "/v1/catalog/us/albums/\($0)" })
        }
    }

    @Test func expectContinueIsAnswered() throws {
        try withProxy { proxy, origin in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send(
                "PUT /v1/me/ratings/songs/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(text(client.read(25)) == "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("{}")
            #expect(text(client.read()).hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(origin.requests.first?.body == Array("{}".utf8))
            #expect(origin.requests.first?.field("expect") == nil)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", 413),
        ("GET /v1/catalog/us/../../me HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ])
    func aRefusedRequestEndsItsConnection(request: String, status: Int) throws {
        try withProxy { proxy, origin in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send(request + "GET /v1/catalog/us/smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let answer = text(client.read())
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains(#"{"errors":[{"id":""#))
            if request.contains("..") { return }
            #expect(answer.contains("Connection: close\r\n"))
            #expect(origin.requests.isEmpty)
        }
    }

    /// The refusal once took the answered request's bytes off the buffer a second time, which
    /// trapped.
    @Test func garbageAfterALateAnswerIsRefused() throws {
        try withProxy { proxy, _ in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send(Self.get + "GARBAGE\r\n\r\n")
            let answer = text(client.read())
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("HTTP/1.1 400 Bad Request\r\n"))
            #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 200)
        }
    }

    /// A client that does not read cannot make the proxy hold more than one answer for it.
    @Test func aClientThatDoesNotReadStopsBeingServed() throws {
        try withProxy(body: "\"" + String(repeating: "x", count: 1 << 20) + "\"") { proxy, _ in
            let client = try RawClient(port: UInt16(proxy.port), receiveBuffer: 4096)
            _ = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
            for _ in 0..<50 { try client.send(Self.get) }
            // Others are served meanwhile, and not all fifty have been taken up.
            for _ in 0..<20 { #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 200) }
            #expect(proxy.statistics[.requests] < 50)
            client.reset()
        }
    }

    @Test(arguments: [
        ("head", "GET / HTTP/1.1\r\nHo"),
        ("body", "POST /v1/me/library HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"),
    ])
    func aSlowRequestIsCutOffByItsDeadline(part: String, begun: String) throws {
        var timeouts = ClientTimeouts.ofTests
        (timeouts.head, timeouts.body, timeouts.idle) = (.seconds(60), .seconds(60), .seconds(60))
        if part == "head" { timeouts.head = .milliseconds(150) } else { timeouts.body = .milliseconds(150) }
        try withProxy(timeouts: timeouts) { proxy, origin in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send(begun)
            #expect(text(client.read()).hasPrefix("HTTP/1.1 408 "))
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAnAnswer() throws {
        var timeouts = ClientTimeouts.ofTests
        timeouts.idle = .milliseconds(150)
        try withProxy(timeouts: timeouts) { proxy, _ in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send(Self.get)
            let (answer, ended) = client.readToEnd()
            #expect(text(answer).components(separatedBy: "HTTP/1.1").count == 2)
            #expect(ended, "the proxy closes, not the test's patience")
        }
    }

    /// The answer is larger than the sockets hold, and the client begins to read only when the
    /// proxy is stopping.
    @Test func drainingFinishesAnAnswerThatIsStillLeaving() throws {
        let body = "{\"a\":\"" + String(repeating: "x", count: 4 << 20) + "\"}"
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: body) }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        let client = try RawClient(port: UInt16(proxy.port), receiveBuffer: 4096)
        try client.send(Self.get)
        waitUntil { proxy.statistics[.stored] > 0 }
        let stopping = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            proxy.stop()
            stopping.signal()
        }
        waitUntil { (try? RawClient(port: UInt16(proxy.port))) == nil }
        let (answer, ended) = client.readToEnd()
        #expect(ended && text(answer).hasSuffix(body), "\(answer.count) bytes")
        stopping.waitOrFail()
    }

    /// The second request of a pipeline failed at the origin after its client had been reset:
    /// logging it read the head of a request that was gone, which trapped.
    @Test func failuresForDepartedClientsAreLogged() throws {
        let origin = try FakeOrigin { _ in
            usleep(30_000)
            return FakeOrigin.Reply(hangsUp: true)
        }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        for index in 0..<5 {
            let client = try RawClient(port: UInt16(proxy.port))
            let requests = [1, 2].map { "GET /v1/catalog/us/albums/\(index)\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
            let asked = origin.requests.count
            try client.send(requests.joined())
            waitUntil { origin.requests.count > asked }
            client.reset()
        }
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 502)
        proxy.stop()
        #expect(try proxy.accessLog().contains(" 502 "))
    }

    /// An answer that ends with its connection has no other mark of being whole, so half of one
    /// must end in a reset.
    @Test func aBrokenStreamedAnswerEndsInAReset() throws {
        let chunk = "100000\r\n" + String(repeating: "x", count: 1 << 20) + "\r\n"
        let origin = try ScriptedOrigin([
            .request, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .send(String(repeating: chunk, count: 10)), .close,
        ])
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        defer { proxy.stop() }
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send("GET /v1/catalog/us/albums/1 HTTP/1.0\r\n\r\n")
        let (answer, ended) = client.readToEnd()
        #expect(!ended, "half an answer must not look whole: \(answer.count) bytes")
    }

    /// The client goes before the origin has answered; the answer is stored all the same.
    @Test func aClientThatLeavesDoesNotCancelTheFill() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let origin = try FakeOrigin { _ in
            mayAnswer.waitOrFail()
            return FakeOrigin.Reply()
        }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send(Self.get)
        waitUntil { !origin.requests.isEmpty }
        client.reset()
        // An answer of the proxy's own: its loop has seen the earlier events by then.
        #expect(try proxy.client.send("TRACE", "/").status == 405)
        mayAnswer.signal()
        waitUntil { proxy.statistics[.stored] > 0 }
        let reply = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
        #expect(reply.field("Cache-Status")?.hasPrefix("refrain; hit") == true)
    }

    @Test func drainingFinishesTheRequestInHand() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let origin = try FakeOrigin { _ in
            mayAnswer.waitOrFail()
            return FakeOrigin.Reply()
        }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send(Self.get)
        waitUntil { !origin.requests.isEmpty }
        let port = UInt16(proxy.port)
        Thread.detachNewThread {
            waitUntil { (try? RawClient(port: port)) == nil }
            mayAnswer.signal()
        }
        proxy.stop()
        let answer = text(client.read())
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("Connection: close\r\n"))
    }

    /// A page saw a network error where its request was malformed.
    @Test func aPageMayReadWhyItsRequestWasMalformed() throws {
        try withProxy { proxy, _ in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send("GET /v1/a HTTP/1.1\r\nHost: a\r\nHost: b\r\nOrigin: https://app.example\r\n\r\n")
            let answer = text(client.read())
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("\r\nAccess-Control-Allow-Origin: *\r\n"))
        }
    }

    @Test func aBrowserIsToldThatItMayRead() throws {
        try withProxy { proxy, origin in
            let preflight = try proxy.client.send(
                "OPTIONS", "/v1/me/library/songs",
                fields: [
                    ("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET"),
                    ("Access-Control-Request-Headers", "music-user-token"),
                ])
            #expect(preflight.status == 204)
            #expect(preflight.field("Access-Control-Allow-Origin") == "*")
            let allowed = preflight.field("Access-Control-Allow-Headers")
            #expect(allowed?.contains("Music-User-Token") == true && allowed?.hasSuffix(", *") == true)
            #expect(origin.requests.isEmpty)
            let reply = try proxy.client.send(
                "GET", "/v1/catalog/us/albums/1", fields: [("Origin", "https://app.example")])
            #expect(reply.field("Access-Control-Allow-Origin") == "*")
            #expect(reply.field("Access-Control-Expose-Headers")?.contains("Cache-Status") == true)
        }
    }
}
