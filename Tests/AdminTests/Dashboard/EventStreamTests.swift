import Foundation
import TestSupport
import Testing
import Text

@testable import Admin
@testable import AppleMusic
@testable import Proxy

@Suite(.timeLimit(.minutes(10))) struct EventStreamTests {
    /// A reader of events, over a socket of its own.
    private final class Reader {
        let client: RawClient
        private var text = ""

        init(
            _ admin: AdminUnderTest, _ target: String = "/events", _ field: String = "", receiveBuffer: CInt? = nil
        ) throws {
            client = try RawClient(port: UInt16(admin.port), receiveBuffer: receiveBuffer)
            try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
        }

        /// Everything up to and with that text; nil where the stream ends before, or goes on and on
        /// without it.
        func read(upTo end: String) -> String? {
            let deadline = ContinuousClock.now + .seconds(Patience.seconds(60))
            while ContinuousClock.now < deadline, !TimeLimit.hasPassed {
                if let range = text.firstRange(of: end) {
                    defer { text = String(text[range.upperBound...]) }
                    return String(text[..<range.upperBound])
                }
                let bytes = client.readSome()
                if bytes.isEmpty { return nil }
                text += String(decoding: bytes, as: UTF8.self)
            }
            return nil
        }

        /// The data of the next event of that name.
        func event(_ name: String) throws -> JSON? {
            guard read(upTo: "event: \(name)\ndata: ") != nil, let data = read(upTo: "\n\n") else { return nil }
            // Chunks are as the events are, so that no chunk ends within one.
            return try JSON.parse(Array(data.utf8))
        }
    }

    @Test func theCountersComeAtOnceAndAgain() throws {
        let admin = try AdminUnderTest()
        let reader = try Reader(admin)
        let head = try #require(reader.read(upTo: "\r\n\r\n"))
        #expect(head.contains("\r\nContent-Type: text/event-stream\r\n"))
        #expect(head.contains("\r\nCross-Origin-Resource-Policy: same-origin\r\n"))
        #expect(head.contains("\r\nCache-Control: no-store\r\n") && head.contains("\r\nConnection: close\r\n"))
        let first = try #require(try reader.event("stats"))
        #expect(first["upstream_rate"] == 7 && first["requests"] == 0)
        #expect(first["history"]?["seconds"] == 10)
        // A reader of one knows the other.
        let stats = try JSON.parse(Array(admin.client.send("GET", "/stats").body))
        #expect(stats.objectValue?.keys == first.objectValue?.keys)
        #expect(stats["outcomes"]?["hit"] == 0 && stats["storage"]?["memory"] == [])
        admin.statistics.count(.requests, 3)
        waitUntil { (try? reader.event("stats"))?["requests"] == 3 }
        let page = try Reader(admin, "/events?view=1")
        #expect(try page.event("view")?["texts"]?["readiness"] == "ready")
        let day = try #require(try Reader(admin, "/events?view=1&window=24h").event("view"))
        #expect(day["states"]?["window-24h"] == "chosen" && day["states"]?["window-1h"] == "plain")
    }

    /// Adds a request as the proxy does, which is only while a page watches.
    private func request(_ target: String, _ feed: LiveFeed) {
        guard feed.isWatched else { return }
        feed.add(at: 1_000_000) {
            LiveFeed.Event(
                unixSeconds: 1_000_000, isHTTP2: true, method: "GET", target: target, status: 200, bytes: 5,
                outcome: .hit, words: "hit", nanoseconds: 41_000, upstreamNanoseconds: nil, upstreamRequests: 1,
                client: nil)
        }
    }

    /// Megabytes at once for a reader that takes nothing: they are not kept for it for ever.
    @Test func aReaderThatTakesNothingIsLetGo() throws {
        let admin = try AdminUnderTest()
        let idle = try Reader(admin, receiveBuffer: 4096)
        waitUntil { admin.feed.isWatched }
        let target = String(repeating: "x", count: 64 << 10)
        for _ in 0..<100 { request(target, admin.feed) }
        waitUntil(within: 25) { !admin.feed.isWatched }
        withExtendedLifetime(idle) {}
    }

    @Test func requestsAreCollectedOnlyWhileTheyAreWatched() throws {
        let admin = try AdminUnderTest()
        let feed = admin.feed
        request("/before", feed)
        do {
            let reader = try Reader(admin)
            _ = try reader.event("stats")
            request("/<b>", feed)
            let batch = try #require(try reader.event("requests"))
            #expect(batch["requests"]?.arrayValue?.count == 1 && batch["skipped"] == 0)
            #expect(batch["requests"]?[0]?["target"] == "/<b>" && batch["requests"]?[0]?["us"] == 41)
            #expect(batch["requests"]?[0]?["http2"] == true && batch["requests"]?[0]?["upstream_requests"] == 1)
            #expect(feed.isWatched)
            reader.client.reset()
        }
        waitUntil { !feed.isWatched }
    }

    /// The streams of one address left no other operator any.
    @Test func soManyOfOneAddressWatchAndNoMore() throws {
        let admin = try AdminUnderTest()
        var readers: [Reader] = []
        for _ in 0..<FairShare.most(of: EventStreams.most) {
            let reader = try Reader(admin)
            #expect(reader.read(upTo: "\r\n")?.hasPrefix("HTTP/1.1 200") == true)
            readers.append(reader)
        }
        #expect(try admin.status("GET", "/events") == 503)
        readers.removeLast().client.reset()
        waitUntil { (try? Reader(admin).read(upTo: "\r\n")?.hasPrefix("HTTP/1.1 200")) == true }
    }

    @Test func theEndOfTheListenerEndsTheStreams() throws {
        let admin = try AdminUnderTest()
        let reader = try Reader(admin)
        _ = try reader.event("stats")
        let stopped = DispatchSemaphore(value: 0)
        admin.host.stop { @Sendable in stopped.signal() }
        #expect(reader.read(upTo: "0\r\n\r\n") != nil, "a proper end of the last chunk")
        stopped.waitOrFail()
        #expect(!admin.feed.isWatched)
    }

    private static let end = "\r\n0\r\n\r\n"

    @Test func aStreamEndsWithItsSessionAndNoOtherDoes() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        func session() throws -> String {
            let reply = try admin.client.send("POST", "/login", body: Data("token=correct-horse".utf8))
            return String(try #require(reply.field("Set-Cookie")).prefix { $0 != ";" })
        }
        let (one, other) = (try session(), try session())
        let mine = try Reader(admin, "/events", "Cookie: \(one)\r\n")
        let theirs = try Reader(admin, "/events", "Cookie: \(other)\r\n")
        let program = try Reader(admin, "/events", "Authorization: Bearer correct-horse\r\n")
        #expect(try mine.event("stats") != nil)
        #expect(try admin.status("POST", "/logout", [("Cookie", one)]) == 303)
        #expect(mine.read(upTo: Self.end) != nil)
        for goesOn in [theirs, program] { for _ in 0..<3 { #expect(try goesOn.event("stats") != nil) } }
    }

    @Test func anotherTokenEndsTheStreamsOfTheOneBefore() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        let field = "Authorization: Bearer correct-horse\r\n"
        let reader = try Reader(admin, "/events", field)
        #expect(try reader.event("stats") != nil)
        admin.access.change(to: SecretBytes(Array("correct-horse".utf8).span))
        for _ in 0..<2 { #expect(try reader.event("stats") != nil, "the same token in another file") }
        admin.access.change(to: SecretBytes(Array("battery-staple".utf8).span))
        #expect(reader.read(upTo: Self.end) != nil)
        #expect(try Reader(admin, "/events", field).read(upTo: "\r\n")?.hasPrefix("HTTP/1.1 401") == true)
    }

    @Test func oddQueriesAndHeadsAreAnsweredAtOnce() throws {
        let admin = try AdminUnderTest()
        for query in ["events?view=yes", "events?x=1", "events?view=1&window=2h", "?window=2h"] {
            #expect(try admin.status("GET", "/" + query) == 400, "\(query)")
        }
        #expect(try admin.status("GET", "/?window=5m") == 200)
        let head = try admin.client.send("HEAD", "/events")
        #expect(head.status == 200 && head.field("Content-Type") == "text/event-stream")
    }

    @Test func thePageIsServedWithItsPolicy() throws {
        let admin = try AdminUnderTest()
        let page = try admin.client.send("GET", "/")
        let html = page.text
        #expect(page.status == 200 && page.field("Content-Type") == "text/html; charset=utf-8")
        #expect(page.field("Content-Security-Policy") == DashboardPage.standard?.contentPolicy)
        #expect(html.contains("<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>"))
        #expect(!html.contains("/logout"))
        let explained = try admin.client.send("GET", "/?explain=%22%3E%3Cscript%3E")
        let answer = explained.text
        #expect(answer.contains("value=\"&quot;&gt;&lt;script&gt;\"") && answer.contains("url: expected"))
        #expect(!answer.contains("http-equiv=\"refresh\""))
    }

    /// The page belongs to the holder of the token; a browser is sent to the page that asks for it.
    @Test func withATokenThePageAsksForIt() throws {
        let admin = try AdminUnderTest(token: "secret-token")
        let reply = try admin.client.send("GET", "/", fields: [("Accept", "text/html")])
        #expect(reply.status == 303 && reply.field("Location") == "/login")
        let page = try admin.client.send("GET", "/", fields: [("Authorization", "Bearer secret-token")])
        #expect(page.text.contains("action=\"/logout\""))
    }
}
