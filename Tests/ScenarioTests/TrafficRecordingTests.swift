import Foundation
import Server
import TestSupport
import Testing
import Text

@testable import Proxy
@testable import Recording

extension TemporaryFolder {
    /// Every exchange of every recording in it, the oldest recording first.
    var exchanges: [RecordedExchange] {
        get throws {
            try names.filter { !$0.hasSuffix("bodies") }.sorted {
                $0.count == $1.count ? $0 > $1 : $0.count > $1.count
            }.flatMap { try RecordingReader(path: file($0)).rest() }
        }
    }
}

/// Recordings that a real proxy makes of the requests it serves.
@Suite(.timeLimit(.minutes(10))) struct TrafficRecordingTests {
    static let album = "/v1/catalog/us/albums/1"

    private static let json = ("Content-Type", "application/json")

    @Sendable private static func reply(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
        FakeOrigin.Reply(
            fields: [
                json, ("ETag", "\"origin\""), ("Set-Cookie", "canary-cookie=1"),
                ("X-Apple-Request-UUID", "canary-uuid"),
            ], body: "{\"data\":[],\"target\":\"\(request.target)\"}")
    }

    private static func recording(
        _ origin: FakeOrigin, workers: Int = 1, policy: Policy = Policy(),
        _ settings: (String) -> RecordingSettings = { RecordingSettings(path: $0) }
    ) throws -> (folder: TemporaryFolder, proxy: ProxyUnderTest) {
        let folder = try TemporaryFolder()
        let proxy = try ProxyUnderTest(
            before: origin, workers: workers, policy: policy, timeOfDay: TimeOfDay { 1_790_000_000 })
        try proxy.startRecording(settings(folder.file()))
        return (folder, proxy)
    }

    @Test func whatWasServedIsThereWithItsBodyAndItsOutcome() throws {
        let (folder, proxy) = try Self.recording(FakeOrigin(Self.reply))
        #expect(proxy.recording.isOn)
        let fields = [("Accept-Language", "en-GB"), ("User-Agent", "canary-agent")]
        let target = Self.album + "?include=artists"
        let reply = try proxy.client.send("GET", target, fields: fields)
        for _ in 0..<3 { _ = try proxy.client.send("GET", target, fields: fields) }
        let tag = try #require(reply.field("ETag"))
        #expect(try proxy.client.send("GET", target, fields: [("If-None-Match", tag)]).status == 304)
        #expect(try proxy.client.send("GET", target, fields: [("Range", "bytes=1-4")]).status == 206)
        _ = try proxy.client.send("HEAD", target)
        proxy.stop()
        let reader = try RecordingReader(path: folder.file())
        let exchanges = try reader.rest()
        #expect(exchanges.map(\.status) == [200, 200, 200, 200, 304, 206, 200])
        #expect(exchanges.map(\.outcome) == ["miss"] + [String](repeating: "hit", count: 6))
        #expect(exchanges.allSatisfy { $0.target == target && $0.latency > .zero && !$0.isPersonal })
        #expect(exchanges.map(\.method) == [String](repeating: "GET", count: 6) + ["HEAD"])
        #expect(exchanges[0].reason == "absent" && exchanges[0].upstreamLatency != nil)
        #expect(exchanges[1].upstreamLatency == nil && exchanges[1].field("cache-status") == "refrain; hit; ttl=86400")
        #expect(exchanges[1].requestFields == [RecordedField("accept-language", "en-GB")])
        #expect(exchanges[1].field("age") != nil && exchanges[1].field("etag") == tag)
        #expect(exchanges[4].requestFields == [RecordedField("if-none-match", tag)])
        #expect(exchanges[5].field("content-range")?.hasPrefix("bytes 1-4/") == true && exchanges[5].length == 4)
        let hash = try #require(exchanges[0].body)
        #expect(exchanges.map(\.body) == [hash, hash, hash, hash, nil, nil, nil])
        #expect(try reader.bodies.content(of: hash).map { Data($0) } == reply.body && reader.bodies.count == 1)
        for exchange in exchanges {
            #expect(reader.header.started + exchange.offset - exchange.time < .microseconds(2))
        }
        #expect(proxy.recording.exchanges == 7 && proxy.recording.dropped == 0 && !proxy.recording.isOn)
    }

    /// It was recorded as though it were the content itself, and with the status of both caches.
    @Test func codedAnswersAreRecordedWithoutBodiesAndWithOurStatus() throws {
        let coded = FakeOrigin.Reply(
            fields: [
                Self.json, ("Content-Encoding", "br"), ("Cache-Control", "max-age=60"),
                ("Cache-Status", "Origin; hit; ttl=9"),
            ], bytes: [0x0B, 0x02, 0x80, 0x7B, 0x7D, 0x0A, 0x03])
        let (folder, proxy) = try Self.recording(FakeOrigin(coded))
        for _ in 0..<2 { _ = try proxy.client.send("GET", Self.album, fields: [("Accept-Encoding", "br")]) }
        proxy.stop()
        let exchanges = try folder.exchanges
        try #require(exchanges.count == 2)
        for exchange in exchanges {
            #expect(exchange.field("content-encoding") == "br" && exchange.body == nil && exchange.length == 7)
            let values = exchange.fields.filter { $0.name == "cache-status" }.map(\.value)
            #expect(values.count == 1 && values[0].hasPrefix("refrain; "), "\(values)")
        }
    }

    /// Secrets of requests and answers that all clients share, and of a route that is not known.
    @Test func noSecretIsInAnyFile() throws {
        let reply = FakeOrigin.Reply(
            fields: [Self.json, ("Set-Cookie", "s=canary"), ("Location", "/canary"), ("X-Session", "canary")],
            body: "{\"data\":[]}")
        let (folder, proxy) = try Self.recording(FakeOrigin(reply))
        let secrets = [
            ("Authorization", "Bearer canary"), ("Cookie", "a=canary"), ("X-Forwarded-For", "10.9.8.7"),
            ("Referer", "https://canary.example/"), ("User-Agent", "canary"), ("X-Canary", "canary"),
            ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ]
        let shared = [Self.album, "/v1/x?access_token=canary&a=1", "/v1/x?b=eyJcanary.eyJcanary.canary"]
        for target in shared { _ = try proxy.client.send("GET", target, fields: secrets) }
        let user = secrets + [("Music-User-Token", "canary-user")]
        for target in ["/v1/ME/library/songs?q=canary", "/v1/other/canary?q=canary"] {
            _ = try proxy.client.send("GET", target, fields: user)
        }
        proxy.stop()
        for secret in ["canary", "10.9.8.7", "127.0.0.1", "0af7651916cd43dd"] {
            #expect(try folder.everything.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        let exchanges = try folder.exchanges
        #expect(exchanges.map(\.isPersonal) == [false, false, false, true, true])
        #expect(exchanges.contains { $0.target == "/v1/x?access_token=REDACTED&a=1" })
        for exchange in exchanges where exchange.isPersonal {
            #expect(exchange.target == "/..." && exchange.body == nil && exchange.requestFields.isEmpty)
        }
    }

    /// No cookie goes to the origin, so none shapes an answer. It was left out where the answer was
    /// not stored; a part of one was not.
    @Test func contentIsRecordedWhateverTheClientsCookiesButNotAPart() throws {
        let origin = try FakeOrigin { request in
            let isKept = request.target.contains("kept")
            if request.field("Range") != nil {
                return FakeOrigin.Reply(status: 206, fields: [("Content-Range", "bytes 0-9/100")], body: "{\"target\":")
            }
            return FakeOrigin.Reply(
                fields: [Self.json, ("Cache-Control", isKept ? "public, max-age=60" : "no-store")],
                body: "{\"target\":\"\(request.target)\"}")
        }
        let (folder, proxy) = try Self.recording(origin, policy: Policy(.albums, .off))
        for (target, fields) in [
            ("/v1/x?kept", [("Cookie", "a=b")]), ("/v1/x?passed", [("Cookie", "a=b")]), ("/v1/x?passed", []),
        ] { _ = try proxy.client.send("GET", target, fields: fields) }
        #expect(try proxy.client.send("GET", Self.album, fields: [("Range", "bytes=0-9")]).status == 206)
        proxy.stop()
        #expect(try folder.exchanges.map { $0.body != nil } == [true, true, true, false])
    }

    @Test func whatIsSentInGzipIsRecordedAsItIs() throws {
        let body = "{\"data\":[" + String(repeating: "\"moon\",", count: 400) + "1]}"
        let (folder, proxy) = try Self.recording(FakeOrigin(.init(body: body)))
        var last: HTTPTestClient.Reply?
        waitUntil {
            last = try? proxy.client.send("GET", Self.album, fields: [("Accept-Encoding", "gzip")])
            return last?.field("Content-Encoding") == "gzip"
        }
        let coded = try #require(last)
        proxy.stop()
        let reader = try RecordingReader(path: folder.file())
        let exchange = try #require(try reader.rest().last)
        #expect(exchange.field("content-encoding") == "gzip" && exchange.field("etag") == coded.field("ETag"))
        #expect(exchange.length == coded.body.count)
        #expect(try reader.bodies.content(of: try #require(exchange.body)) == Array(body.utf8))
    }

    @Test func switchedOffItWritesWhatWasServedUntilThen() throws {
        let folder = try TemporaryFolder()
        let proxy = try ProxyUnderTest(before: FakeOrigin(Self.reply), workers: 2)
        let settings = RecordingSettings(path: folder.file())
        for round in 1...3 {
            _ = try proxy.client.send("GET", Self.album + "?unrecorded")
            try proxy.startRecording(settings)
            for count in 0..<10 { _ = try proxy.client.send("GET", Self.album + "?n=\(round)-\(count)") }
            proxy.stopRecording()
            #expect(try RecordingReader(path: folder.file()).rest().count == 10)
            #expect(proxy.recording.exchanges == round * 10)
        }
        proxy.stop()
        #expect(try folder.exchanges.allSatisfy { !$0.target.contains("unrecorded") })
    }

    @Test func aShareIsAShare() throws {
        let (folder, proxy) = try Self.recording(FakeOrigin(Self.reply)) {
            RecordingSettings(path: $0, sampling: 0.25)
        }
        for _ in 0..<400 { _ = try proxy.client.send("GET", Self.album) }
        proxy.stopRecording()
        // The writer has the lowest priority; neither a drain nor `stopRecording` waits for it.
        waitUntil(within: 900) { !proxy.recording.isOn }
        proxy.stop()
        let reader = try RecordingReader(path: folder.file())
        #expect(reader.header.sampling == 0.25)
        // Seven standard deviations of a binomial distribution: once in 10^11 runs by chance.
        #expect((39...161).contains(try reader.rest().count))
    }

    @Test func ofALargeAnswerOnlyTheHeadIsRecorded() throws {
        let large = [UInt8](repeating: 0x20, count: RecordedBodies.longest + 1)
        let (folder, proxy) = try Self.recording(FakeOrigin(.init(bytes: large)))
        #expect(try proxy.client.send("GET", Self.album).body.count == large.count)
        proxy.stop()
        let exchange = try #require(try folder.exchanges.first)
        #expect(exchange.length == large.count && exchange.body == nil)
        #expect(exchange.field("content-type") == "application/json")
    }
}
