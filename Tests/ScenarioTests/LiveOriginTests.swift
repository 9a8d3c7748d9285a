import Foundation
import Server
import Simulator
import TestSupport
import Testing
import Upstream

@testable import EventLoop
@testable import Recording

/// `simulate --mode record` and `--mode fallback`: a live origin together with a recording.
@Suite struct LiveOriginTests {
    private static let notFound = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"
    private static let album =
        "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nSet-Cookie: a=s3cret\r\nDate: Sun, 22 Nov 2026 00:00:00 GMT\r\n"
        + "Content-Length: 11\r\n\r\n{\"data\":[]}"

    /// - Parameter timeout: how long it waits for the origin; short only where that is to fail.
    private static func host(
        _ mode: LiveOrigin.Mode, port: UInt16, timeout: Duration = .seconds(60)
    ) throws -> ServiceHost {
        var settings = UpstreamSettings(endpoint: Endpoint(isTLS: false, host: "127.0.0.1", port: port))
        (settings.timeouts.connect, settings.timeouts.response) = (.seconds(Patience.seconds(60)), timeout)
        return try .local { context in
            LiveOrigin(
                mode, pool: UpstreamPool(settings: settings, tls: nil, loop: context.loop, resolver: Resolver()),
                context: context)
        }
    }

    private static func writer(_ folder: TemporaryFolder) throws -> RecordingWriter {
        try RecordingWriter(
            RecordingSettings(path: folder.file()), header: RecordingHeader(started: .now(), program: "test"))
    }

    private static func recording(_ folder: TemporaryFolder, _ targets: [String]) throws -> RecordedAPI {
        let writer = try writer(folder)
        for target in targets {
            let body = Array("recorded".utf8)
            var exchange = RecordedExchange(
                time: .now(), offset: .zero, method: "GET", target: target, status: 200, latency: .seconds(3600),
                length: body.count)
            exchange.body = BodyHash(of: body)
            writer.append(exchange) { body }
        }
        writer.flush()
        return try RecordedAPI(path: folder.file())
    }

    @Test func answersAreForwardedAndRecordedWithoutSecrets() throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        let origin = try ScriptedOrigin([
            .serve { request in Array((request.contains("access_token") ? Self.notFound : Self.album).utf8) }
        ])
        defer { origin.stop() }
        let writer = try Self.writer(folder)
        let host = try Self.host(
            .record { exchange, body in
                writer.append(exchange) { body }
                writer.flush()
            }, port: origin.port)
        defer { host.stop() }
        let client = HTTPTestClient(port: Int(host.address.port))
        let secrets = [
            ("Authorization", "Bearer s3cret"), ("Music-User-Token", "s3cret"), ("Cookie", "s3cret"),
            ("If-None-Match", "\"1\""), ("Connection", "keep-alive, X-Hop"), ("X-Hop", "1"),
        ]
        for target in ["/v1/catalog/us/albums/1?l=de", "/v1/me/library/albums/s3cret", "/v1/x?access_token=s3cret"] {
            let reply = try client.send("GET", target, fields: secrets)
            #expect(reply.field("X-Recording") == "live" && reply.fields.count { $0.name == "Date" } == 1)
        }
        let sent = origin.requests.joined()
        #expect(sent.count == 3)
        // Bodies were written where only the route said nothing of a user.
        for name in ["Music-User-Token", "media-user-token", "Cookie"] {
            _ = try client.send("GET", "/v1/x/s3cret?q=s3cret", fields: [(name, "s3cret")])
        }
        #expect(sent.allSatisfy { $0.contains("Bearer s3cret") && $0.contains("Music-User-Token: s3cret") })
        #expect(!sent.contains { $0.contains("If-None-Match") || $0.contains("X-Hop") })

        let reader = try RecordingReader(path: path)
        let read = try reader.rest()
        let targets = ["/v1/catalog/us/albums/1?l=de", "/v1/me/library/{type}/{id}", "/..."]
        #expect(read.map(\.target) == targets + ["/...", "/...", "/..."])
        #expect(read.map(\.status) == [200, 200, 404, 200, 200, 200])
        #expect(read.map { $0.isPersonal && $0.body == nil } == [false, true, true, true, true, true])
        #expect(read[0].field("etag") == "\"1\"" && read[0].requestFields.isEmpty)
        #expect(try read[0].body.flatMap { try reader.bodies.content(of: $0) } == Array("{\"data\":[]}".utf8))
        for name in [path, path + ".bodies"] {
            #expect(try !String(contentsOfFile: name, encoding: .utf8).contains("s3cret"))
        }
    }

    @Test func theRecordingAnswersWhereTheOriginDoesNot() throws {
        let folder = try TemporaryFolder()
        let recorded = try Self.recording(folder, ["/v1/a"])
        let refusal = { (line: String) in "HTTP/1.1 \(line)\r\nContent-Length: 0\r\n\r\n" }
        let origin = try ScriptedOrigin(
            [
                .request, .send(Self.album), .request, .send(refusal("429 Too Many Requests")), .request,
                .send(refusal("503 Service Unavailable")), .request, .send(refusal("404 Not Found")), .request,
                .send(refusal("500 Internal Server Error")), .hold,
            ], [.request, .hold])
        defer { origin.stop() }
        let host = try Self.host(.fallback(recorded), port: origin.port)
        defer { host.stop() }
        let impatient = try Self.host(.fallback(recorded), port: origin.port, timeout: .milliseconds(300))
        defer { impatient.stop() }
        func ask(_ target: String, _ host: ServiceHost) throws -> [String] {
            let client = HTTPTestClient(port: Int(host.address.port))
            let reply = try client.send("GET", target)
            return ["\(reply.status)", reply.field("X-Recording") ?? "", String(decoding: reply.body, as: UTF8.self)]
        }
        #expect(try ask("/v1/a", host) == ["200", "live", "{\"data\":[]}"])
        #expect(try ask("/v1/a", host) == ["200", "recorded", "recorded"])
        #expect(try ask("/v1/a", host) == ["200", "recorded", "recorded"])
        #expect(try ask("/v1/a", host) == ["404", "live", ""])
        // The origin's answer is passed on if nothing was recorded.
        #expect(try ask("/v1/b", host) == ["500", "live", ""])
        // In time it does not answer.
        #expect(try ask("/v1/a", impatient) == ["200", "recorded", "recorded"])
    }

    @Test func withoutAnOriginUnrecordedRequestsFail() throws {
        let folder = try TemporaryFolder()
        let gone = try ScriptedOrigin([])
        gone.stop()
        let recorded = try Self.recording(folder, ["/v1/a"])
        let host = try Self.host(.fallback(recorded), port: gone.port)
        defer { host.stop() }
        let client = HTTPTestClient(port: Int(host.address.port))
        #expect(try client.send("GET", "/v1/a").field("X-Recording") == "recorded")
        let reply = try client.send("GET", "/v1/b")
        #expect([502, 504].contains(reply.status))
        #expect(String(decoding: reply.body, as: UTF8.self).contains("nothing was recorded"))
    }
}
