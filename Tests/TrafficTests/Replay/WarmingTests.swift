import Dispatch
import EventLoop
import Recording
import TestSupport
import Testing
import Text
import Upstream

@testable import Traffic

/// Whole warmings over real sockets, of targets that do as a script says.
@Suite struct WarmingTests {
    private static func warm(
        _ exchanges: [RecordedExchange], _ port: UInt16, perSecond: Int = 1000, connections: Int = 2,
        during: (Replay) -> Void = { _ in }
    ) throws -> (run: ReplayResult, kept: KeptAnswers, report: WarmResult) {
        let rate = RequestRate(perSecond: perSecond)
        let ending = try ReplayTests.run(
            try TestRecording(exchanges), port, .warming(rate), connections: connections, during: during)
        return (ending.result, ending.kept, WarmResult(ending, rate: rate))
    }

    private static func answer(_ status: String, _ fields: String) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 2\r\n\r\n{}".utf8)
    }

    private static func asked(_ origin: ScriptedOrigin) -> [String] {
        origin.requests.joined().compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
    }

    @Test func eachDistinctRequestIsAskedOnceTheMostWantedFirst() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer("200 OK", "") }])
        defer { origin.stop() }
        let targets = ["/v1/a", "/v1/b", "/v1/c", "/v1/b", "/v1/c", "/v1/c"]
        let result = try Self.warm(TestRecording.exchanges(targets), origin.port, connections: 1)
        #expect(Self.asked(origin) == ["/v1/c", "/v1/b", "/v1/a"])
        #expect(result.run.planned == 3 && result.kept.asked == 3 && result.kept.unknown == 3)
        #expect(result.report.stoppedBecause == nil)
    }

    @Test func whatTheCacheSaysIsCounted() throws {
        let said = [
            "/v1/fetched": "refrain; fwd=uri-miss; fwd-status=200; stored; ttl=900",
            "/v1/there": "refrain; hit; ttl=20", "/v1/private": "refrain; fwd=uri-miss; fwd-status=200; detail=private",
            // The nearest cache comes last, and a detail in quotes is no parameter.
            "/v1/two": "parent; fwd=uri-miss; stored, refrain; fwd=uri-miss; detail=\"; stored\"",
        ]
        let origin = try ScriptedOrigin([
            .serve { request in
                let target = String(request.split(separator: " ")[1])
                return Self.answer("200 OK", said[target].map { "Cache-Status: \($0)\r\n" } ?? "")
            }
        ])
        defer { origin.stop() }
        let result = try Self.warm(TestRecording.exchanges(said.keys.sorted() + ["/v1/silent"]), origin.port)
        #expect(result.kept.stored == 1 && result.kept.present == 1 && result.kept.notStored == 2)
        #expect(result.kept.unknown == 1 && result.kept.asked == 5 && result.run.statuses == [200: 5])
        #expect(result.report.text.contains("sent 5 of 5 distinct requests"))
        let json = result.report.json
        #expect(json["hits"] == 1 && json["stored"] == 1 && json["not_stored"] == 2 && json["stopped"] == .null)
    }

    /// A recording that was put together by hand may not mark personal requests.
    @Test func nothingPersonalAndNothingConditionalIsAsked() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer("200 OK", "") }])
        defer { origin.stop() }
        var exchanges = TestRecording.exchanges([
            "/v1/me/library/songs", "/v1/catalog/us/songs/1", "/v1/catalog/us/songs/2", "/v1/catalog/us/songs/1",
        ])
        exchanges[1].requestFields = [RecordedField("if-none-match", "\"x\""), RecordedField("accept-language", "de")]
        exchanges[2].isPersonal = true
        exchanges[3].requestFields = [RecordedField("range", "bytes=0-9"), RecordedField("accept-language", "de")]
        let result = try Self.warm(exchanges, origin.port)
        let requests = Array(origin.requests.joined())
        #expect(Self.asked(origin) == ["/v1/catalog/us/songs/1"] && requests[0].contains("accept-language: de"))
        #expect(!requests[0].contains("if-none-match") && !requests[0].contains("range"))
        #expect(result.run.skipped == ["personal": 2] && result.run.planned == 1)
    }

    @Test func whoSaysToComeBackTomorrowIsLeftAlone() throws {
        let origin = try ScriptedOrigin([
            .serve { _ in Self.answer("503 Service Unavailable", "Retry-After: 86400\r\n") }
        ])
        defer { origin.stop() }
        let result = try Self.warm(TestRecording.exchanges(["/v1/a", "/v1/b"]), origin.port, connections: 1)
        #expect(Self.asked(origin) == ["/v1/a"] && result.kept.asked == 0 && result.kept.refusals == 1)
        #expect(result.report.stoppedBecause == "the target requires a wait of 86400 s (Retry-After)")
        #expect(result.report.text.contains("STOPPED: the target requires"))
    }

    @Test func aWarmingThatIsStoppedSaysWhatWasDone() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer("200 OK", "") }])
        defer { origin.stop() }
        let result = try Self.warm(
            TestRecording.exchanges((0..<10_000).map { "/v1/\($0)" }), origin.port, perSecond: 50,
            during: { warming in
                waitUntil { warming.progress.answered > 0 }
                warming.stop()
            })
        #expect((1..<10_000).contains(result.kept.asked) && result.report.stoppedBecause?.isEmpty == false)
    }
}
