import Dispatch
import EventLoop
import HTTP
import Proxy
import Synchronization
import TestSupport
import Testing
import Text
import Upstream

@testable import Recording
@testable import Traffic

/// Whole replays over real sockets, against targets that do as a script says.
@Suite(.timeLimit(.minutes(10))) struct ReplayTests {
    private static func answer(_ body: String = "{}", _ fields: String = "") -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    private final class Box: Sendable {
        let result = Mutex<Result<Replay.Ending, ReplayError>?>(nil)
        let done = DispatchSemaphore(value: 0)
    }

    /// Runs a replay to its end; the test's own time limit is the only one.
    static func run(
        _ recording: TestRecording, _ port: UInt16, _ pace: ReplayPace = .recorded(speed: 1), connections: Int = 4,
        verifies: Bool = false, _ change: (inout ReplayPlan) -> Void = { _ in },
        during: (Replay) -> Void = { _ in }
    ) throws -> Replay.Ending {
        var plan = ReplayPlan(
            file: recording.path, target: Endpoint(isTLS: false, host: "127.0.0.1", port: port), pace: pace,
            connections: connections)
        change(&plan)
        let replay = try Replay(plan, verifies: verifies)
        let box = Box()
        replay.start { @Sendable result in
            box.result.withLock { $0 = result }
            box.done.signal()
        }
        during(replay)
        box.done.waitOrFail()
        return try #require(box.result.withLock { $0 }).get()
    }

    private static func targets(_ count: Int) -> [String] { (0..<count).map { "/v1/catalog/us/songs/\($0)" } }

    /// The result of so many requests, or of these exchanges, against an origin, which ends then.
    private static func result(
        of count: Int = 0, _ exchanges: [RecordedExchange]? = nil, bodies: [String: String]? = nil,
        from origin: ScriptedOrigin, _ pace: ReplayPace = .recorded(speed: 1), connections: Int = 4,
        _ change: (inout ReplayPlan) -> Void = { _ in }
    ) throws -> ReplayResult {
        defer { origin.stop() }
        let exchanges = exchanges ?? TestRecording.exchanges(targets(count))
        let recording = try TestRecording(exchanges, bodies: bodies ?? [:])
        return try run(
            recording, origin.port, pace, connections: connections, verifies: bodies != nil, change
        ).result
    }

    @Test func everyRequestIsSentOnceAndCounted() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer("{}", "Cache-Status: refrain; hit; ttl=5\r\n") }])
        let result = try Self.result(of: 50, from: origin)
        #expect(result.planned == 50 && result.sent == 50 && result.answered == 50 && result.failed == 0)
        #expect(result.statuses == [200: 50] && result.outcomes == ["hit": 50] && result.bytesReceived == 100)
        #expect(result.corrected.count == 50 && result.uncorrected.count == 50 && result.lag.count == 50)
        #expect(result.slots.reduce(0) { $0 + $1.sent } == 50 && result.slots.reduce(0) { $0 + $1.answered } == 50)
        let asked = origin.requests.joined().compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(Set(asked.map(String.init)) == Set(Self.targets(50)) && asked.count == 50)
    }

    /// A server may close a kept connection at any time, also as the next request arrives.
    @Test func aRequestThatMetAClosingConnectionIsSentOnceMore() throws {
        let origin = try ScriptedOrigin(
            [.request, .send(Self.answer()), .request, .close], [.serve { _ in Self.answer() }])
        let exchanges = TestRecording.exchanges(Self.targets(2), apart: .milliseconds(50))
        // One connection: on a busy machine the second request came before the first answer, and
        // took another one.
        let result = try Self.result(exchanges, from: origin, connections: 1)
        #expect(result.answered == 2 && result.sent == 2 && result.failed == 0)
        // It was not told: a run in which each request had been sent twice looked like any other.
        #expect(result.resets == 1)
        #expect(try Threshold("resets>0").verdict(on: result).isMissed)
    }

    /// Equal answers in a coding that cannot be read were "different".
    @Test(arguments: [("br", nil), ("zstd", nil), ("deflate", nil), ("gzip, br", nil), ("x-gzip", 1), ("GZIP", 1)])
    func answersInCodingsThatCannotBeReadAreNotCompared(_ coding: String, _ compared: Int?) throws {
        let body = #"{"data":["# + String(repeating: #""moon","#, count: 100) + "1]}"
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(coded.count)\r\n\r\n"
        let origin = try ScriptedOrigin([.serve { _ in Array(head.utf8) + coded }])
        let found = try Self.result(TestRecording.exchanges(["/a"]), bodies: ["/a": body], from: origin).verification
        #expect(found.compared == compared ?? 0 && found.different == 0)
        #expect(found.notCompared == (compared == nil ? ["content coding that cannot be read": 1] : [:]))
    }

    @Test(arguments: [
        (ScriptedOrigin.Step.reset, "recv: Connection reset by peer"), (.close, "closed without an answer"),
        (.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), "closed in the middle of an answer"),
        (.send("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), "malformed answer: Content-Length"),
    ]) func anIncompleteAnswerIsAFailure(_ step: ScriptedOrigin.Step, _ reason: String) throws {
        let result = try Self.result(of: 3, from: ScriptedOrigin([.request, step]), connections: 1)
        #expect(result.answered == 0 && result.failures == [reason: 3])
    }

    @Test func aTargetThatNeverAnswersIsGivenUp() throws {
        let origin = try ScriptedOrigin([.request, .hold])
        let result = try Self.result(of: 3, from: origin, connections: 1, { $0.timeout = .seconds(4) })
        #expect(result.answered == 0 && result.failed == 3 && result.failures["timed out", default: 0] >= 1)
        #expect(Set(result.failures.keys).isSubset(of: ["timed out", "no connection was free in time"]))
    }

    /// Their latencies are the times after which they were given up, in every figure.
    @Test(arguments: [ReplayPace.rate(RequestRate(perSecond: 100)), .closed])
    func requestsThatTimeOutCountInTheLatencies(_ pace: ReplayPace) throws {
        let origin = try ScriptedOrigin([
            .serve { request in request.contains("songs/3 ") ? [] : Self.answer() }
        ])
        let result = try Self.result(of: 8, from: origin, pace, { $0.timeout = .seconds(4) })
        #expect(result.answered == 7 && result.failures == ["timed out": 1] && result.timedOut == 1)
        #expect(result.corrected.count == 8 && result.uncorrected.count == 8 && result.withoutLag.count == 8)
        #expect((result.corrected.maximum ?? 0) >= 4_000_000_000)
        #expect(try Threshold("max>3999ms").verdict(on: result).isMissed)
        #expect(try Threshold("p99>3600s").verdict(on: result).sentence.contains("unclear"))
        #expect(result.slots.contains { ($0.maximum ?? 0) >= 4_000_000_000 })
        let listed = try #require(result.failedRequests.listed.first)
        #expect(result.failedRequests.count == 1 && listed.failure == .unanswered("timed out"))
        #expect(listed.index == 3 && listed.target == "/v1/catalog/us/songs/3" && listed.waited >= .seconds(4))
    }

    /// More than are listed in reports are in the file, whatever went wrong.
    @Test func everyRequestThatFailedIsInTheFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/failed.jsonl"
        let origin = try ScriptedOrigin([
            .serve { request in
                request.contains("songs/1 ") ? Self.answer() : Array("HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n".utf8)
            }
        ])
        let file = try FailedRequestFile(path)
        let result = try Self.result(of: 30, from: origin, connections: 4, { $0.failedFile = file })
        #expect(file.finish() == nil)
        let lines = try folder.bytes("failed.jsonl").split(separator: 0x0A).map { try JSON.parse(Array($0)) }
        #expect(result.failedRequests.count == 29 && result.failedRequests.listed.count == 10 && lines.count == 29)
        #expect(Set(lines.compactMap { $0["index"]?.intValue }) == Set(0..<30).subtracting([1]))
        #expect(lines.allSatisfy { $0["status"] == 503 && $0["recorded_status"] == 200 && $0["error"] == nil })
    }

    /// After a full disk the file went on in the middle of a line.
    @Test func aFullDiskEndsTheFileOfFailedRequests() throws {
        let file = try FailedRequestFile("/dev/full")
        let request = FailedRequest(
            index: 1, method: "GET", target: "/v1/a", failure: .status(503), recordedStatus: 200, due: .zero,
            waited: .zero)
        for _ in 0..<3 { file.append(request) }
        #expect(file.finish() == "3 requests are missing: No space left on device")
        file.append(request)
        #expect(file.finish() == "4 requests are missing: No space left on device")
        let lines = Array("ab\ncde\nf\n".utf8)
        for (place, whole, lost) in [(0, 0, 3), (2, 0, 3), (3, 3, 2), (5, 3, 2), (7, 7, 1), (9, 9, 0)] {
            #expect(FailedRequestFile.cut(lines, at: place) == (whole, lost), "\(place)")
        }
    }

    @Test func aRunThatIsStoppedReportsWhatWasDone() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer() }])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(2), apart: .seconds(3600)))
        let outcome = try Self.run(
            recording, origin.port,
            during: { replay in
                waitUntil { replay.progress.answered == 1 }
                replay.stop()
            })
        #expect(outcome.wasStopped && outcome.result.answered == 1 && outcome.result.planned == 2)
    }

    @Test func aTargetThatIsNotThereIsReportedAtOnce() throws {
        let origin = try ScriptedOrigin([.hold])
        origin.stop()
        waitUntil { (try? RawClient(port: origin.port)) == nil }
        let error = ReplayError.unreachable(
            target: "http://127.0.0.1:\(origin.port)", reason: "connect: Connection refused")
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(1)))
        #expect(throws: error) { try Self.run(recording, origin.port) }
    }

    /// It was waited for as long as the kernel and the TLS layer wait.
    @Test func aTargetThatIsSilentIsGivenUpAfterTheTimeout() throws {
        let origin = try ScriptedOrigin([.hold])
        let target = Endpoint(isTLS: true, host: "127.0.0.1", port: origin.port)
        let tls = try ClientTLS(trustAnchors: .system)
        #expect(throws: ReplayError.unreachable(target: "https://127.0.0.1:\(origin.port)", reason: "timed out")) {
            try Self.result(of: 1, from: origin, connections: 1) {
                ($0.target, $0.tls, $0.timeout) = (target, tls, .milliseconds(200))
            }
        }
    }

    @Test func aBadRecordingIsRefusedWithItsLineBeforeAnythingIsSent() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer() }])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(3)))
        let line = #"{"time":"2026-11-21T00:00:00Z","offset":1,"method":"GET","target":"/a b","status":200}"# + "\n"
        try recording.append(String(repeating: line, count: 4))
        let error = #expect(throws: ReplayError.self, "a target with a blank in it is none, and most have one") {
            try Self.run(recording, origin.port)
        }
        let words = ":5: 4 of 7 lines cannot be read, the first: target"
        #expect(error?.description.hasPrefix(recording.path + words) == true, "\(String(describing: error))")
        #expect(origin.connectionCount == 0)
    }

    /// Answers without a recorded body were "content that cannot be read", and those that never
    /// have content were not compared at all.
    @Test func answersAreComparedWithTheRecordedOnes() throws {
        let json = #"{"a":1,"b":[2]}"#
        let answers = [
            "/same": json, "/order": #"{"b":[2],"a":1}"#, "/other": #"{"a":1,"b":[3]}"#, "/text": "no JSON",
            "/unknown": "whatever", "/missing": "{}",
        ].mapValues { Self.answer($0) }
        let heads = [
            "/gone": "404 Not Found\r\nContent-Length: 0", "/unchanged": "304 Not Modified",
            "/head": "200 OK\r\nContent-Length: 5",
        ].mapValues { Array("HTTP/1.1 \($0)\r\n\r\n".utf8) }
        let origin = try ScriptedOrigin([
            .serve { request in
                let target = String(request.split(separator: " ")[1])
                return answers[target] ?? heads[target] ?? []
            }
        ])
        let names = ["/same", "/order", "/other", "/text", "/unknown", "/gone"]
        var exchanges = TestRecording.exchanges(names + ["/other", "/missing", "/unchanged", "/head"])
        exchanges[4].length = 5
        (exchanges[7].body, exchanges[7].length) = (BodyHash(of: Array("{ }".utf8)), 3)
        (exchanges[8].status, exchanges[8].length) = (304, nil)
        (exchanges[9].method, exchanges[9].length) = ("HEAD", 5)
        let bodies = ["/same": json, "/order": json, "/other": json, "/text": json, "/gone": json]
        let found = try Self.result(exchanges, bodies: bodies, from: origin).verification
        // Two contents that were not recorded cannot be compared.
        #expect(found.compared == 8 && found.different == 4 && found.notCompared == ["content not recorded": 2])
        #expect(found.listed.map(\.index) == [2, 3, 5, 6])
        #expect(found.listed.map(\.what) == ["$.b[0]", "content", "status", "$.b[0]"])
        #expect(found.listed[0].expected == "2" && found.listed[0].found == "3" && found.listed[0].target == "/other")
        #expect(found.listed[2].expected == "200" && found.listed[2].found == "404")
    }

    /// The requests that an endless closed loop could not connect for were in `failed`, and neither
    /// planned nor sent.
    @Test func anEndlessClosedLoopPlansWhatItSendsUntilItsTimeIsOver() throws {
        let origin = try ScriptedOrigin([.request, .send(Self.answer("{}", "Connection: close\r\n")), .close])
        let result = try Self.run(
            TestRecording(TestRecording.exchanges(Self.targets(2))), origin.port, .closed, connections: 1,
            { ($0.duration, $0.repeats) = (.milliseconds(600), true) },
            during: { replay in
                // More than are recorded.
                waitUntil { replay.progress.answered > 2 }
                origin.stop()
            }
        ).result
        #expect(result.failed > 0 && result.planned > result.sent)
        #expect(result.planned == result.answered + result.failed && result.planned == result.sent + result.notSent)
        #expect(result.lag.count == 0 && result.corrected == result.uncorrected)
        #expect(result.elapsed >= .milliseconds(600))
    }
}

/// A recording in a folder of its own, as the recorder writes them.
final class TestRecording {
    let path: String
    private let folder: TemporaryFolder

    /// - Parameter bodies: recorded contents by the target that they answer.
    init(_ exchanges: [RecordedExchange], bodies: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        var (lines, stored) = (RecordingHeader(started: .now(), program: "test").line, [UInt8]())
        for var exchange in exchanges {
            if let body = bodies[exchange.target], let hash = BodyHash(of: Array(body.utf8)) {
                exchange.body = hash
                exchange.length = body.utf8.count
                stored += RecordedBodies.record(hash, Array(body.utf8))
            }
            lines += exchange.line
        }
        path = try folder.put(lines)
        if !stored.isEmpty { try folder.put(stored, RecordedBodies.path(beside: "traffic.jsonl")) }
    }

    func append(_ text: String) throws { try folder.put(folder.bytes() + Array(text.utf8)) }

    /// Answered with 200, so far apart.
    static func exchanges(_ targets: [String], apart: Duration = .milliseconds(1)) -> [RecordedExchange] {
        targets.enumerated().map { index, target in
            RecordedExchange(
                time: .now(), offset: apart * index, method: "GET", target: target, status: 200, latency: .zero,
                length: 0)
        }
    }
}
