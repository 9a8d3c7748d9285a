import Dispatch
import EventLoop
import HTTP
import Proxy
import Recording
import Synchronization
import TestSupport
import Testing
import Text
import Upstream

@testable import Traffic

/// Whole replays over real sockets, against targets that do as a script says.
@Suite struct ReplayTests {
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

    @Test func everyRequestIsSentOnceAndCounted() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer("{}", "Cache-Status: refrain; hit; ttl=5\r\n") }])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(50)))
        let result = try Self.run(recording, origin.port).result
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
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(2), apart: .milliseconds(50)))
        let result = try Self.run(recording, origin.port).result
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
        let origin = try ScriptedOrigin([
            .serve { _ in
                Array(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(coded.count)\r\n\r\n".utf8)
                    + coded
            }
        ])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(["/a"]), bodies: ["/a": body])
        let found = try Self.run(recording, origin.port, verifies: true).result.verification
        #expect(found.compared == compared ?? 0 && found.different == 0)
        #expect(found.notCompared == (compared == nil ? ["content coding that cannot be read": 1] : [:]))
    }

    @Test(arguments: [
        (ScriptedOrigin.Step.reset, "recv: Connection reset by peer"), (.close, "closed without an answer"),
        (.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), "closed in the middle of an answer"),
        (.send("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), "malformed answer: Content-Length"),
    ]) func whatIsNoWholeAnswerIsAFailure(_ step: ScriptedOrigin.Step, _ reason: String) throws {
        let origin = try ScriptedOrigin([.request, step])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(3)))
        let result = try Self.run(recording, origin.port, connections: 1).result
        #expect(result.answered == 0 && result.failures == [reason: 3])
    }

    @Test func whoNeverAnswersIsGivenUp() throws {
        let origin = try ScriptedOrigin([.request, .hold])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(3)))
        let result = try Self.run(recording, origin.port, connections: 1) { $0.timeout = .milliseconds(300) }.result
        #expect(result.answered == 0 && result.failed == 3 && result.failures["timed out", default: 0] >= 1)
        #expect(Set(result.failures.keys).isSubset(of: ["timed out", "no connection was free in time"]))
    }

    @Test func chunksAndHeadsAreAnswersToo() throws {
        let origin = try ScriptedOrigin([
            .serve { request in
                request.hasPrefix("HEAD")
                    ? Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n".utf8)
                    : Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".utf8)
            }
        ])
        defer { origin.stop() }
        var exchanges = TestRecording.exchanges(Self.targets(4))
        exchanges[1].method = "HEAD"
        let result = try Self.run(try TestRecording(exchanges), origin.port).result
        #expect(result.answered == 4 && result.bytesReceived == 6)
    }

    @Test func aClosedLoopRepeatsUntilItsTimeIsOverAndHasNoLag() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer() }])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(2)))
        let result = try Self.run(recording, origin.port, .closed) { plan in
            (plan.duration, plan.repeats) = (.milliseconds(300), true)
        }.result
        #expect(result.answered > 2 && result.sent == result.answered && result.lag.count == 0)
        #expect(result.corrected == result.uncorrected && result.invalidBecause == nil)
        #expect(result.elapsed >= .milliseconds(300))
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

    @Test func aTargetThatIsNotThereIsSaidAtOnce() throws {
        let origin = try ScriptedOrigin([.hold])
        origin.stop()
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(1)))
        waitUntil { (try? RawClient(port: origin.port)) == nil }
        #expect(
            throws: ReplayError.unreachable(
                target: "http://127.0.0.1:\(origin.port)", reason: "connect: Connection refused")
        ) { try Self.run(recording, origin.port) }
    }

    /// It was waited for as long as the kernel and the TLS layer wait.
    @Test func aTargetThatIsSilentIsGivenUpAfterTheTimeout() throws {
        let origin = try ScriptedOrigin([.hold])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(1)))
        let target = Endpoint(isTLS: true, host: "127.0.0.1", port: origin.port)
        let tls = try ClientTLS(trustAnchors: .system)
        #expect(throws: ReplayError.unreachable(target: "https://127.0.0.1:\(origin.port)", reason: "timed out")) {
            try Self.run(recording, origin.port) { plan in
                (plan.target, plan.tls, plan.timeout) = (target, tls, .milliseconds(200))
            }
        }
    }

    @Test func whatIsWrongWithARecordingIsSaidWithItsLineBeforeAnythingIsSent() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer() }])
        defer { origin.stop() }
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(3)))
        let line = #"{"time":"2026-11-21T00:00:00Z","offset":1,"method":"GET","target":"/a b","status":200}"# + "\n"
        try recording.append(String(repeating: line, count: 4))
        do {
            _ = try Self.run(recording, origin.port)
            Issue.record("a target with a blank in it is none, and most have one")
        } catch let error as ReplayError {
            #expect(error.description.hasPrefix("\(recording.path):5: target"))
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func answersAreComparedWithTheRecordedOnes() throws {
        let origin = try ScriptedOrigin([
            .serve { request in
                switch request.split(separator: " ")[1] {
                case "/same": Self.answer(#"{"a":1,"b":[2]}"#)
                case "/order": Self.answer(#"{"b":[2],"a":1}"#)
                case "/other": Self.answer(#"{"a":1,"b":[3]}"#)
                case "/text": Self.answer("no JSON")
                case "/unknown": Self.answer("whatever")
                default: Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8)
                }
            }
        ])
        defer { origin.stop() }
        let names = ["/same", "/order", "/other", "/text", "/unknown", "/gone"]
        let json = #"{"a":1,"b":[2]}"#
        var exchanges = TestRecording.exchanges(names + ["/other"])
        exchanges[4].length = 5
        let recording = try TestRecording(
            exchanges, bodies: ["/same": json, "/order": json, "/other": json, "/text": json, "/gone": json])
        let found = try Self.run(recording, origin.port, verifies: true).result.verification
        // A content that was not recorded cannot be compared.
        #expect(found.compared == 6 && found.different == 4 && found.notCompared == ["content not recorded": 1])
        #expect(found.listed.map(\.index) == [2, 3, 5, 6])
        #expect(found.listed.map(\.what) == ["$.b[0]", "content", "status", "$.b[0]"])
        #expect(found.listed[0].expected == "2" && found.listed[0].found == "3" && found.listed[0].target == "/other")
        #expect(found.listed[2].expected == "200" && found.listed[2].found == "404")
    }

    /// They were "content that cannot be read", and what never has content was not compared at all.
    @Test func answersWithoutARecordedBodyAreTakenForWhatTheyAre() throws {
        let origin = try ScriptedOrigin([
            .serve { request in
                switch request.split(separator: " ")[1] {
                case "/unchanged": Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8)
                case "/head": Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".utf8)
                default: Self.answer("{}")
                }
            }
        ])
        defer { origin.stop() }
        var exchanges = TestRecording.exchanges(["/missing", "/unchanged", "/head"])
        (exchanges[0].body, exchanges[0].length) = (BodyHash(of: Array("{ }".utf8)), 3)
        (exchanges[1].status, exchanges[1].length) = (304, nil)
        (exchanges[2].method, exchanges[2].length) = ("HEAD", 5)
        let found = try Self.run(try TestRecording(exchanges, bodies: [:]), origin.port, verifies: true).result
            .verification
        #expect(found.compared == 2 && found.different == 0 && found.notCompared == ["content not recorded": 1])
    }

    /// The requests that an endless closed loop could not connect for were in `failed`, and neither
    /// planned nor sent.
    @Test func inAnEndlessClosedLoopPlannedIsWhatWasSentAndWhatWasNot() throws {
        let origin = try ScriptedOrigin([.request, .send(Self.answer("{}", "Connection: close\r\n")), .close])
        let recording = try TestRecording(TestRecording.exchanges(Self.targets(2)))
        let result = try Self.run(
            recording, origin.port, .closed, connections: 1,
            { plan in (plan.duration, plan.repeats) = (.milliseconds(600), true) },
            during: { replay in
                waitUntil { replay.progress.answered > 0 }
                origin.stop()
            }
        ).result
        #expect(result.failed > 0 && result.planned > result.sent)
        #expect(result.planned == result.answered + result.failed && result.planned == result.sent + result.notSent)
    }
}
