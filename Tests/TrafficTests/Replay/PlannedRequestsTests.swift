import EventLoop
import Proxy
import Testing
import Upstream

@testable import HTTP
@testable import Recording
@testable import Traffic

@Suite struct PlannedRequestsTests {
    private static func exchange(_ method: String, _ target: String, at milliseconds: Int = 0, status: Int = 200)
        -> RecordedExchange
    {
        RecordedExchange(
            time: .now(), offset: .milliseconds(milliseconds), method: method, target: target, status: status,
            latency: .zero, length: 2)
    }

    private static func planned(
        _ exchanges: [RecordedExchange], _ fields: [RecordedField] = [], _ filter: ReplayFilter = ReplayFilter(),
        pace: ReplayPace = .closed
    ) -> PlannedRequests {
        var plan = ReplayPlan(
            file: "", target: Endpoint(isTLS: false, host: "127.0.0.1", port: 8080), pace: pace, connections: 1)
        (plan.fields, plan.filter) = (fields, filter)
        let planned = PlannedRequests(plan)
        for exchange in exchanges { planned.add(exchange) }
        planned.finish()
        return planned
    }

    private static func requests(_ planned: PlannedRequests) -> [PlannedRequest] {
        (0..<planned.entries.count).compactMap(planned.request)
    }

    @Test func equalRequestsAreHeldOnceAndSentInTheOrderInWhichTheyCame() throws {
        let planned = Self.planned([
            Self.exchange("GET", "/b", at: 20), Self.exchange("GET", "/a", at: 10), Self.exchange("GET", "/b", at: 30),
        ])
        let requests = Self.requests(planned)
        #expect(requests.map(\.target) == ["/a", "/b", "/b"] && requests.map(\.index) == [1, 0, 2])
        let messages = try (0..<3).map { try planned.entries.entry($0).message }
        #expect(messages[1] == messages[2] && messages[0] != messages[1])
    }

    @Test func fieldsOfTheRunTakeThePlaceOfRecordedOnes() {
        var exchange = Self.exchange("GET", "/a")
        exchange.requestFields = [
            RecordedField("accept-language", "de"), RecordedField("content-type", "text/plain"),
            RecordedField("accept", "*/*"),
        ]
        let planned = Self.planned([exchange], [RecordedField("accept-language", "fr")])
        let text = String(decoding: planned.request(0)?.message ?? [], as: UTF8.self)
        #expect(text == "GET /a HTTP/1.1\r\nhost: 127.0.0.1:8080\r\naccept-language: fr\r\naccept: */*\r\n\r\n")
    }

    /// A browser's `accept-encoding: gzip, deflate, br, zstd` went out, and answers came in a
    /// coding that cannot be read.
    @Test(arguments: [
        ("gzip, deflate, br, zstd", "gzip"), ("br", "identity"), ("br;q=1, gzip;q=0.5", "gzip;q=0.5"),
        ("*", "identity"), ("gzip;q=1.0,identity;q=0.5", "gzip;q=1.0,identity;q=0.5"), ("X-GZIP, br", "X-GZIP"),
    ]) func whereAnswersAreComparedOnlyReadableCodingsAreAskedFor(_ recorded: String, _ sent: String) {
        #expect(PlannedRequests.readable(recorded) == sent)
    }

    @Test func requestsThatCannotOrMustNotBeSentAreCounted() {
        var personal = Self.exchange("GET", "/v1/me/library/songs")
        personal.isPersonal = true
        var filter = ReplayFilter()
        filter.skip = ["/x"]
        let planned = Self.planned(
            [
                personal, Self.exchange("POST", "/a"), Self.exchange("DELETE", "/a"), Self.exchange("OPTIONS", "/a"),
                Self.exchange("GET", "/x/1"), Self.exchange("HEAD", "/a"),
            ], [], filter)
        #expect(planned.entries.count == 1 && planned.request(0)?.isHead == true)
        #expect(planned.skipped == ["personal": 1, "unsafe method": 2, "other method": 1, "filtered": 1])
    }

    /// A recording that was put together by hand may not mark personal requests.
    @Test func aWarmingAsksForNothingPersonalAndNothingConditional() {
        var exchanges = ["/v1/me/library/songs", "/v1/a", "/v1/b", "/v1/a"].map { Self.exchange("GET", $0) }
        exchanges[1].requestFields = [RecordedField("if-none-match", "\"x\""), RecordedField("accept-language", "de")]
        exchanges[2].isPersonal = true
        exchanges[3].requestFields = [RecordedField("range", "bytes=0-9"), RecordedField("accept-language", "de")]
        let planned = Self.planned(exchanges, pace: .warming(ReplayPace.warmingRate))
        #expect(planned.skipped == ["personal": 2] && planned.entries.count == 1)
        let text = String(decoding: planned.request(0)?.message ?? [], as: UTF8.self)
        #expect(text == "GET /v1/a HTTP/1.1\r\nhost: 127.0.0.1:8080\r\naccept-language: de\r\n\r\n")
    }

    /// A target that answers everything otherwise fills no memory.
    @Test func noMoreDifferencesAreListedThanTheLimit() throws {
        let most = ReplayResult.Verification.mostListed
        let planned = Self.planned((0...most).map { Self.exchange("GET", "/a", at: $0) })
        let verifier = AnswerVerifier(RecordedBodies([:]))
        let requests = Self.requests(planned)
        let answer = try AnswerOutcomeTests.read("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n")
        // The first is sent twice, and listed once.
        for request in requests[..<1] + requests { verifier.take(answer, to: request) }
        let found = verifier.finish()
        #expect(found.different == most + 2 && found.listed.map(\.index) == Array(0..<most))
    }

    @Test func everyKindOfChoiceHasToFit() {
        var filter = ReplayFilter()
        filter.only = ["/v1/catalog/us/", "/v1/catalog/de/"]
        filter.skip = ["/v1/catalog/us/charts"]
        filter.statuses = [2, 404]
        filter.storefronts = ["us"]
        filter.outcomes = ["hit"]
        func admits(_ target: String, _ status: Int, _ outcome: String?) -> Bool {
            var exchange = Self.exchange("GET", target, status: status)
            exchange.outcome = outcome
            return filter.admits(exchange)
        }
        #expect(admits("/v1/catalog/us/songs/1", 200, "hit") && admits("/v1/catalog/us/songs/1", 404, "hit"))
        #expect(!admits("/v1/catalog/us/songs/1", 403, "hit") && !admits("/v1/catalog/us/songs/1", 200, "miss"))
        #expect(!admits("/v1/catalog/de/songs/1", 200, "hit") && !admits("/v1/catalog/us/songs/1", 200, nil))
        #expect(!admits("/v1/catalog/us/charts?types=songs", 200, "hit"))
    }

    @Test(arguments: [
        ("/v1/catalog/US/songs/1", "us"), ("/v1/storefronts/de?l=de", "de"), ("/v1/catalog", nil), ("/", nil),
        ("/v1/me/library", nil), ("/v1/catalog/gb?x=/y", "gb"),
    ]) func storefrontsAreReadOffTargets(_ target: String, _ storefront: String?) {
        #expect(ReplayFilter.storefront(of: target) == storefront)
    }
}

@Suite struct AnswerOutcomeTests {
    fileprivate static func read(_ text: String) throws -> AnswerReader {
        var reader = AnswerReader()
        reader.begin(keepsContent: true)
        _ = try reader.take(Array(text.utf8).span)
        return reader
    }

    @Test(arguments: [
        ("Cache-Status: refrain; hit; ttl=5", Outcome?.some(.hit)), ("Cache-Status: refrain; hit; ttl=-5", .stale),
        ("Cache-Status: refrain; hit; ttl=-5; detail=stale-while-revalidate", .stale),
        ("Cache-Status: refrain; hit; ttl=5; detail=composed", .composed),
        ("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; stored; ttl=60", .miss),
        ("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; collapsed; stored; ttl=60", .collapsed),
        ("Cache-Status: refrain; fwd=stale; fwd-status=304; stored; ttl=60; detail=revalidated", .revalidated),
        ("Cache-Status: refrain; fwd=stale; detail=stale-if-error", .staleIfError),
        ("Cache-Status: refrain; fwd=uri-miss; stored; ttl=60; detail=shared", .collapsed),
        ("Cache-Status: refrain; fwd=request; fwd-status=200; detail=request-no-store", .bypass),
        ("Cache-Status: theirs; fwd=stale; fwd-status=304", .revalidated),
        ("Cache-Status: theirs; fwd=bypass; fwd-status=304", .bypass),
        ("Cache-Status: refrain; fwd=uri-miss; detail=upstream-connect", .failed),
        ("Cache-Status: refrain; fwd=bypass; fwd-status=200; detail=personal", .bypass),
        ("Cache-Status: refrain; detail=waited-too-long", .refused),
        ("Cache-Status: origin; fwd=uri-miss, \"a;b,c\"; hit", .hit), ("X-Cache: HIT", .hit),
        ("X-Cache: HIT, MISS", .miss), ("X-Cache-Status: UPDATING", .stale), ("x-cache: TCP_MISS from here", .miss),
        ("Cache-Status: x", nil),
    ]) func theOutcomeIsThatOfTheNearestCache(_ field: String, _ outcome: Outcome?) throws {
        let reader = try Self.read("HTTP/1.1 200 OK\r\nServer: x\r\n\(field)\r\nContent-Length: 0\r\n\r\n")
        #expect(reader.caching.outcome == outcome)
    }
}
