import Foundation
import Freshness
import Testing
import Text

@testable import Proxy

/// Operators' view of requests: each has an outcome and a line, and no secret is shown.
@Suite struct ObservationTests {
    private static let album = "/v1/catalog/us/albums/1?include=artists"
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func origin() throws -> FakeOrigin {
        try FakeOrigin { request in
            if request.target.contains("gone") { return FakeOrigin.Reply(hangsUp: true) }
            if request.target.contains("artists/9") { return FakeOrigin.Reply(status: 500) }
            return FakeOrigin.Reply(body: #"{"data":[{"id":"1"}]}"#)
        }
    }

    private func traffic(_ proxy: ProxyUnderTest) throws {
        for _ in 0..<40 { _ = try proxy.client.send("GET", Self.album, fields: [("traceparent", Self.trace)]) }
        _ = try proxy.client.send("GET", "/v1/catalog/us/artists/9", fields: [("User-Agent", "tests/1")])
        _ = try proxy.client.send("GET", "/v1/catalog/us/songs/gone")
        _ = try proxy.client.send("POST", "/v1/me/library?ids[songs]=i.private", fields: [("Music-User-Token", "anna")])
        _ = try proxy.client.send("GET", "/v1/me/library/songs?offset=777", fields: [("Music-User-Token", "anna")])
        _ = try proxy.client.send("GET", "/v1/catalog/us/%zz")
        _ = try proxy.client.send(
            "OPTIONS", Self.album, fields: [("Origin", "http://a.example"), ("Access-Control-Request-Method", "GET")])
    }

    /// By its outcome, by its requests to the origin, by its target, and in the live events.
    @Test func everyRequestIsCountedOnceInEachFigure() throws {
        let proxy = try ProxyUnderTest(before: origin())
        let feed = proxy.statistics.feed
        let start = feed.begin()
        defer { feed.end() }
        try traffic(proxy)
        let statistics = proxy.statistics
        let counts = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, statistics.latency($0).count) })
        #expect(counts.values.reduce(0, +) == statistics[.requests])
        #expect(counts.filter { $0.value > 0 } == [.hit: 39, .miss: 2, .bypass: 2, .failed: 1, .refused: 1])
        let reasons = [Reason.absent, .method, .personal].map { statistics[because: $0] }
        #expect(reasons == [3, 1, 1] && statistics[.hits] == 39 && statistics[.bypassed] == 2)
        // By priority and status.
        let upstream = statistics.upstreamRequests
        #expect(upstream[.init(priority: .waitingClient, status: 200)] == 3)
        #expect(upstream[.init(priority: .waitingClient, status: 500)] == 1)
        #expect(upstream.values.reduce(0, +) == statistics[.upstreamRequests])
        #expect(statistics.upstreamLatency(.waitingClient).count == 4)
        // Personal targets are never named.
        let (asked, costly) = (statistics.mostAsked(limit: 10), statistics.mostCostly(limit: 10))
        #expect(asked.first?.target == Self.album)
        #expect(asked.first.map { (17...48).contains($0.count) } == true)
        #expect(Set(costly.map(\.target)) == [Self.album, "/v1/catalog/us/artists/9", "/v1/catalog/us/songs/gone"])
        #expect(costly.allSatisfy { $0.reason == .absent && $0.seconds > 0 })
        #expect(!(asked + costly).contains { $0.target.contains("/me/") })
        let events = feed.events(from: start).events
        try #require(events.count == 45)
        #expect(events[0].words == "absent" && events[0].outcome == .miss && events[0].target == Self.album)
        #expect(events[1].words == "hit" && events[1].upstreamNanoseconds == nil)
        #expect(events[0].upstreamRequests == 1 && events[1].upstreamRequests == 0)
        #expect(!events.contains { $0.target.contains("private") || $0.target.contains("=777") })
    }

    @Test func theLogSaysOutcomeReasonKeyTimesAndTrace() throws {
        let proxy = try ProxyUnderTest(before: origin())
        try traffic(proxy)
        let lines = try proxy.finalLog()
        try #require(lines.count == 46)
        let shape =
            #/127\.0\.0\.1 - - \[[^\]]+\] "[^"]*" \d{3} \d+ "-" "[^"]*" [a-z\-]+(/[a-z\-]+)? \d+\.\d{6} (-|\d+\.\d{6}) (-|"[^"]+") (-|[0-9a-f]{32}) (-|1)/#
        for line in lines { #expect(line.wholeMatch(of: shape) != nil, "\(line)") }
        #expect(lines[0].contains("\" absent 0."))
        #expect(lines[0].hasSuffix(" \"\(Self.album)\" 0af7651916cd43dd8448eb211c80319c 1"))
        #expect(lines[1].hasSuffix(" 0af7651916cd43dd8448eb211c80319c -"))
        #expect(lines[1].contains("\" hit 0."))
        #expect(lines[40].contains(" absent/server-error "))
        #expect(lines[41].contains(" absent/upstream-closed "))
        #expect(!lines.joined().contains("private") && !lines.joined().contains("=777"))
        #expect(proxy.origin.requests[0].field("traceparent") == Self.trace)
    }

    /// A route that is not known is one user's as soon as that user's token comes with it.
    @Test func targetsOfUnknownRoutesAreHiddenBesideAToken() throws {
        let proxy = try ProxyUnderTest(before: origin())
        let feed = proxy.statistics.feed
        let start = feed.begin()
        _ = try proxy.client.send("GET", "/v1/new/thing?secret=778", fields: [("Music-User-Token", "anna")])
        #expect(feed.events(from: start).events.map(\.target) == ["other"])
        feed.end()
        let lines = try proxy.finalLog()
        #expect(lines.count == 1 && !lines[0].contains("778") && !lines[0].contains("thing"), "\(lines)")
    }

    /// The bytes of an error were counted that no HEAD is sent.
    @Test func anErrorInAnswerToHeadHasNoBytes() throws {
        let proxy = try ProxyUnderTest(before: origin())
        _ = try proxy.client.send("HEAD", "/v1/else", fields: [("Cache-Control", "only-if-cached")])
        _ = try proxy.client.send("HEAD", "/v1/catalog/us/songs/gone")
        let lines = try proxy.finalLog()
        #expect(lines.count == 2)
        for (line, status) in zip(lines, [504, 502]) { #expect(line.contains("\" \(status) 0 \"-\""), "\(line)") }
    }

    @Test func theLogAsJSONHasTheSame() throws {
        let proxy = try ProxyUnderTest(before: origin(), logFormat: .json)
        try traffic(proxy)
        let lines = try proxy.finalJSONLog()
        try #require(lines.count == 46)
        for (line, member, value) in [
            (0, "outcome", "miss"), (0, "reason", "absent"), (0, "key", Self.album), (0, "address", "127.0.0.1"),
            (0, "trace", "0af7651916cd43dd8448eb211c80319c"), (0, "agent", nil), (1, "outcome", "hit"),
            (40, "agent", "tests/1"), (42, "target", "/v1/me/library"), (42, "key", nil), (44, "outcome", "refused"),
            (45, "outcome", "preflight"),
        ] { #expect(lines[line][member]?.stringValue == value, "line \(line)") }
        #expect(lines[0]["upstream_seconds"] != nil && lines[1]["upstream_seconds"] == nil)
        // One got no answer: its time is that until the origin hung up.
        for line in lines { #expect((line["upstream_seconds"] != nil) == (line["upstream_requests"] == 1), "\(line)") }
        #expect(lines.count { $0["upstream_requests"] != nil } == 5)
        for line in lines {
            #expect(line["time"]?.stringValue?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }
    }

    /// One client could write 8 kB of target, and six times that in escapes, into every line.
    @Test(arguments: [AccessLogFormat.combined, .json]) func linesAreShorterThan4kB(format: AccessLogFormat) throws {
        let proxy = try ProxyUnderTest(before: origin(), logFormat: format)
        let long = "/v1/catalog/us/albums/1?l=" + String(repeating: "a", count: 5_000)
        for agent in [String(repeating: "b", count: 6_000), String(repeating: "\"\\", count: 3_000)] {
            _ = try proxy.client.send("GET", long, fields: [("User-Agent", agent), ("traceparent", Self.trace)])
        }
        let lines = try proxy.finalLog()
        try #require(lines.count == 2)
        for line in lines {
            #expect(line.utf8.count < 4096 && line.contains(long.prefix(1 << 10) + "..."), "\(line)")
            guard format == .json else { continue }
            #expect(try JSON.parse(Array(line.utf8))["target"]?.stringValue == long.prefix(1 << 10) + "...")
        }
        guard format == .combined else { return }
        #expect(lines[0].contains("\"" + String(repeating: "b", count: 1 << 10) + "...\""))
        // Never inside an escape.
        #expect(lines[1].contains(String(repeating: "\\u0022\\u005c", count: 85) + "...\""))
    }

    @Test func aClientBeyondItsRateIsToldWhenToRetry() throws {
        let file = "phone 0123456789abcdef 2/s\nweb fedcba9876543210\nwriter 0011223344556677 2/s\n"
        let proxy = try ProxyUnderTest(before: origin(), clientKeys: ClientKeys(text: file))
        let key = [("X-Refrain-Key", "0123456789abcdef")]
        let replies = try (0..<6).map { _ in try proxy.client.send("GET", Self.album, fields: key) }
        #expect(replies.prefix(2).allSatisfy { $0.status == 200 })
        let limited = replies.filter { $0.status == 429 }
        #expect(!limited.isEmpty)
        for reply in limited {
            #expect(reply.field("Retry-After") == "1" && reply.field("Cache-Status") == "refrain; detail=client-rate")
        }
        for _ in 0..<6 {
            let reply = try proxy.client.send("GET", Self.album, fields: [("Authorization", "Bearer fedcba9876543210")])
            #expect(reply.status == 200)
        }
        // A request is admitted by its head before its content has come, and counts once.
        for _ in 0..<2 {
            let writer = [("X-Refrain-Key", "0011223344556677")]
            let reply = try proxy.client.send("POST", "/v1/me/library", fields: writer, body: Data("{}".utf8))
            #expect(reply.status == 200)
        }
        let clients = proxy.statistics.clients()
        #expect(clients.map(\.name) == ["phone", "web", "writer"] && clients.map(\.requests) == [6, 6, 2])
        #expect(proxy.statistics[.requests] == 14)
        #expect(clients[0].limited == limited.count && clients[0].refused == limited.count)
        #expect(clients[1].limited == 0 && clients[1].bytes == 6 * 21)
        let log = try proxy.finalLog().joined()
        #expect(log.contains(" - phone [") && log.contains(" - web ["))
        #expect(!log.contains("0123456789abcdef") && !log.contains("fedcba9876543210"))
    }
}
