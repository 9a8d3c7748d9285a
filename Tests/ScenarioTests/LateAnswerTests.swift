import Cache
import Foundation
import Freshness
import Purging
import Store
import TestSupport
import Testing

/// An origin's answer that comes after a stale one was sent, or after a purge of its base.
@Suite(.timeLimit(.minutes(10))) struct LateAnswerTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    /// A cache that holds "old" for the album: long expired, to be served if the origin fails.
    private func cacheWithExpired(_ fields: String = "", _ target: String = album) -> ResponseCache {
        .holdingOld(target, Lifetime(freshFor: 10, staleIfErrorFor: 1000), fields: fields)
    }

    private static let new = ScriptedOrigin.Step.send(.ok("{\"new\":1}"))
    private static let confirmed = ScriptedOrigin.Step.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")

    /// Reads the album's stale answer "old", which is served when the origin is slow.
    private func readStandIn(_ client: RawClient) -> String {
        var text = ""
        while !text.hasSuffix("\r\n\r\nold") {
            let bytes = client.read(1)
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    @Test func aLateInterimResponseIsNotTheNextRequests() throws {
        let (late, next) = (ScriptedOrigin.Gate(), ScriptedOrigin.Gate())
        let origin = try ScriptedOrigin(
            [.request, .wait(late), .send("HTTP/1.1 103 Early Hints\r\nLink: </late>\r\n\r\n"), Self.new, .hold],
            [.request, .wait(next), .send(.ok("{\"next\":1}")), .hold])
        let proxy = try ProxyUnderTest(scripted: origin, cache: cacheWithExpired())
        let client = try proxy.connection(sending: .get(Self.album))
        #expect(readStandIn(client).hasSuffix("old"))
        try client.send(.get("/v1/catalog/us/albums/2"))
        // Until it has a connection of its own it might take the first one's, once that is free.
        waitUntil { origin.requests.joined().count == 2 }
        late.open()
        waitUntil { proxy.statistics[.stored] == 1 }
        next.open()
        #expect(String(decoding: client.read(12), as: UTF8.self) == "HTTP/1.1 200")
    }

    /// A failure after the stale answer does not concern the answer that the client reads now.
    @Test func aLateFailureBreaksNoOtherAnswerOfTheConnection() throws {
        let (late, next) = (ScriptedOrigin.Gate(), ScriptedOrigin.Gate())
        let half = [UInt8](repeating: 0x61, count: 9 << 20)
        let origin = try ScriptedOrigin(
            [.request, .wait(late), .reset],
            [
                .request, .send("HTTP/1.1 200 OK\r\nContent-Length: \(2 * half.count)\r\n\r\n"), .send(half),
                .wait(next), .send(half), .hold,
            ])
        let proxy = try ProxyUnderTest(scripted: origin, cache: cacheWithExpired())
        let client = try proxy.connection(sending: .get(Self.album))
        #expect(readStandIn(client).hasSuffix("old"))
        try client.send(.get("/v1/catalog/us/albums/2"))
        #expect(client.read(half.count).count == half.count)
        late.open()
        waitUntil { proxy.statistics[.upstreamErrors] == 1 }
        next.open()
        #expect(client.read(half.count).count == half.count)
    }

    /// The client's answer while the cache is purged and the origin does `then`.
    private func replyPurgedOnTheWay(
        _ cache: ResponseCache, _ then: [ScriptedOrigin.Step], to request: String = "GET \(album)",
        purging selection: EntrySelection? = EntrySelection()
    ) throws -> String {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate)] + then)
        let proxy = try ProxyUnderTest(scripted: origin, cache: cache)
        let client = try proxy.connection(sending: "\(request) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        waitUntil { proxy.statistics[.upstreamRequests] == 1 }
        if let selection { cache.purgeAndWait(selection, .hard, at: Int64(Date().timeIntervalSince1970)) }
        gate.open()
        return client.readText()
    }

    @Test func aPurgedAnswerDoesNotStandInForAFailure() throws {
        let text = try replyPurgedOnTheWay(cacheWithExpired(), [.reset])
        #expect(text.hasPrefix("HTTP/1.1 502 "))
    }

    @Test func whatWasPurgedIsNotServedForAnOldConfirmation() throws {
        let cache = cacheWithExpired("ETag: \"1\"\r\n")
        let text = try replyPurgedOnTheWay(cache, [Self.confirmed, .request, Self.new, .hold])
        #expect(text.hasSuffix("new\":1}") && text.contains("; detail=outdated"))
        #expect(cache.memory.count == 0)
    }

    private static let others = EntrySelection([.target(Array(String.album(3).utf8))])

    /// A confirmation was worth nothing after a purge of anything.
    @Test func aPurgeOfOthersChangesNothingForWhatIsStored() throws {
        let cache = cacheWithExpired("ETag: \"1\"\r\n")
        let text = try replyPurgedOnTheWay(cache, [Self.confirmed, .hold], purging: Self.others)
        #expect(text.hasSuffix("\r\n\r\nold") && text.contains("detail=revalidated"), "\(text)")
        let key = CacheKey(of: .none, scope: .shared, target: Array(Self.album.utf8))
        let now = Int64(Date().timeIntervalSince1970)
        #expect(cache.peek(key, nil, at: now)?.isFresh(at: now) == true)
        let standIn = try replyPurgedOnTheWay(cacheWithExpired(), [.reset], purging: Self.others)
        #expect(standIn.hasSuffix("\r\n\r\nold"), "\(standIn)")
    }

    /// A HEAD during a purge put back what that had removed, and after a purge of anything it
    /// updated nothing.
    @Test(arguments: [EntrySelection([.target(Array("/elsewhere".utf8))]), others])
    func aHeadUpdatesWhatNoPurgeHasChosen(selection: EntrySelection) throws {
        let fields = "ETag: \"1\"\r\nCache-Control: max-age=60\r\n"
        let cache = cacheWithExpired(fields, "/elsewhere")
        let head = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 3\r\n\r\n"
        let text = try replyPurgedOnTheWay(cache, [.send(head), .hold], to: "HEAD /elsewhere", purging: selection)
        #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text)")
        let (key, now) = (
            CacheKey(of: .none, scope: .shared, target: Array("/elsewhere".utf8)), Int64(Date().timeIntervalSince1970)
        )
        #expect(cache.peek(key, nil, at: now)?.isFresh(at: now) == (selection == Self.others ? true : nil))
    }

    /// A POST led no flight: its answer was stored although its target had been purged.
    @Test(arguments: [EntrySelection(), EntrySelection([.target(Array("/elsewhere".utf8))]), others, nil])
    func aPurgeMeanwhileKeepsAPostsAnswerOutOfTheCache(selection: EntrySelection?) throws {
        let cache = ResponseCache()
        let fields = "Content-Location: /elsewhere\r\nCache-Control: max-age=60\r\nContent-Length: 9"
        let text = try replyPurgedOnTheWay(
            cache, [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n{\"new\":1}"), .hold], to: "POST /elsewhere",
            purging: selection)
        #expect(text.hasSuffix("new\":1}"))
        #expect(cache.memory.count == (selection == nil || selection == Self.others ? 1 : 0))
    }

    /// The second confirmation was taken for that of a replaced answer: it cost a third request.
    @Test func whatAnothersConfirmationMadeFreshMeanwhileIsConfirmed() throws {
        let (first, second) = (ScriptedOrigin.Gate(), ScriptedOrigin.Gate())
        func script(_ gate: ScriptedOrigin.Gate) -> [ScriptedOrigin.Step] {
            [.request, .wait(gate), Self.confirmed, .request, Self.new, .hold]
        }
        let origin = try ScriptedOrigin(script(first), script(second))
        let cache = cacheWithExpired("ETag: \"1\"\r\nCache-Control: max-age=60\r\n", "/elsewhere")
        let proxy = try ProxyUnderTest(scripted: origin, cache: cache)
        let clients = try (1...2).map { number in
            let asking = String.get("/elsewhere", "Cache-Control: no-cache\r\n", closes: true)
            let client = try proxy.connection(sending: asking)
            // Until it has a connection of its own it might take the first one's.
            waitUntil { origin.requests.joined().count == number }
            return client
        }
        first.open()
        waitUntil { proxy.statistics[.revalidated] == 1 }
        second.open()
        for client in clients {
            let text = client.readText()
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\nold"), "\(text)")
        }
        // On a busy machine they are served the stale answer before.
        waitUntil { proxy.statistics[.revalidated] == 2 || proxy.statistics[.upstreamRequests] > 2 }
        #expect(proxy.statistics[.upstreamRequests] == 2 && proxy.statistics[.revalidated] == 2)
    }
}
