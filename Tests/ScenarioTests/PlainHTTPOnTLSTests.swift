import EventLoop
import Foundation
import Server
import TestSupport
import Testing

/// HTTP in the clear on a port that wants TLS: the client gets an explanation, in the clear.
@Suite(.timeLimit(.minutes(10))) struct PlainHTTPOnTLSTests {
    private static let fields = "/v1/me/library HTTP/1.1\r\nHost: localhost\r\n"
    private static let header = "PROXY TCP4 203.0.113.9 10.0.0.1 40000 443\r\n"

    /// Reads to the end, which is no reset, or a client might not have got to see the answer.
    private func expectRefusal(_ client: RawClient, _ what: String) {
        let (bytes, ended) = client.readToEnd()
        let answer = String(decoding: bytes, as: UTF8.self)
        #expect(ended && answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(what): \(answer)")
        for part in [
            "\r\nConnection: close\r\n", "\r\nAccess-Control-Allow-Origin: *\r\n", #"{"errors":[{"id":""#,
            "A plain HTTP request was sent to an HTTPS port.",
        ] { #expect(answer.contains(part), "\(what): \(answer)") }
    }

    /// Asks by TLS, as a client does that has understood.
    private func expectService(_ scene: HTTP2Scene) throws {
        let trust = try ClientTLS(trustAnchors: .pem(scene.authority.certificatePEM()))
        let client = try ProxyUnderTest(originPort: Int(scene.port), upstreamTLS: trust)
        defer { client.stop() }
        let reply = try client.client.send("GET", .album(1))
        #expect(reply.status == 200, "\(reply.status): \(String(decoding: reply.body, as: UTF8.self))")
    }

    @Test(arguments: [false, true]) func theClientIsToldWhateverItAsksFor(offersHTTP2: Bool) throws {
        let scene = try HTTP2Scene(offersHTTP2: offersHTTP2)
        let methods = ["GET", "HEAD", "POST", "PUT", "CONNECT", "DELETE", "OPTIONS", "PATCH", "TRACE", "M-SEARCH"]
        for method in methods {
            let client = try RawClient(port: scene.port)
            try client.send("\(method) \(Self.fields)\r\n")
            expectRefusal(client, method)
        }
        #expect(scene.proxy.statistics[.refused] == methods.count && scene.origin.requests.isEmpty)
        let refusals = scene.proxy.statistics.connections.refusals
        #expect(refusals.failedHandshakes(.notTLS) == methods.count && refusals.handshakes == 0)
        try expectService(scene)
        #expect(refusals.handshakes == 1)
        let log = try scene.proxy.finalLog()
        let lines = log.filter { $0.contains("\"- - HTTP/1.1\" 400 ") && $0.contains(" refused/plain-http ") }
        #expect(lines.count == methods.count, "\(log)")
        #expect(log.count == methods.count + 1)
    }

    /// More than the sockets hold, so that the answer leaves while the content is on its way.
    @Test func theAnswerComesThroughContentThatIsStillBeingSent() throws {
        let scene = try HTTP2Scene()
        let client = try RawClient(port: scene.port)
        let content = String(repeating: "content ", count: 100_000)
        try client.send("POST \(Self.fields)Content-Length: \(content.utf8.count)\r\n\r\n" + content)
        client.finishSending()
        expectRefusal(client, "content")
    }

    @Test func whatComesByteByByteIsUnderstoodAsWell() throws {
        let scene = try HTTP2Scene()
        let client = try RawClient(port: scene.port)
        for byte in Array("GET \(Self.fields)\r\n".utf8) {
            try client.send([byte])
            usleep(500)
        }
        expectRefusal(client, "in pieces")
        try expectService(scene)
    }

    /// Bytes that are neither TLS nor a request get no answer.
    @Test func otherBytesAreNotAnswered() throws {
        let scene = try HTTP2Scene()
        let client = try RawClient(port: scene.port)
        try client.send("SSH-2.0-x\r\n")
        #expect(client.read().isEmpty && (client.sawEnd || client.wasReset))
        #expect(scene.proxy.statistics[.refused] == 0)
    }

    @Test func behindALoadBalancerTheRefusalIsTheClients() throws {
        let scene = try HTTP2Scene(headers: ProxyHeaders { _ in })
        let client = try RawClient(port: scene.port)
        try client.send(Self.header + "GET \(Self.fields)\r\n")
        expectRefusal(client, "behind a header")
        scene.proxy.stop()
        #expect(try scene.proxy.accessLog().hasPrefix("203.0.113.9 "))
    }
}
