import Dispatch
import EventLoop
import Synchronization
import TestSupport
import Testing
import Text
import Upstream

@testable import Traffic

/// Scripts of events and expected steps of warmings.
@Suite(.timeLimit(.minutes(10))) struct ThrottleTests {
    private static let second: Int64 = 1_000_000_000

    private static func state(_ count: Int, perSecond: Int, connections: Int) -> ReplayState {
        let schedule = Schedule(
            recorded: Array(repeating: .zero, count: count), pace: .warming(RequestRate(perSecond: perSecond)))
        return ReplayState(schedule, mostConnections: connections)
    }

    /// With a connection that is open, and request 0 sent over it.
    private static func begun(_ count: Int, perSecond: Int = 1, connections: Int = 1) -> ReplayState {
        var state = state(count, perSecond: perSecond, connections: connections)
        _ = state.begin()
        #expect(state.next(at: 0) == .send(position: 0, connection: 0, wasHeld: false))
        return state
    }

    @Test func requestsAreAsFarApartAsThePaceSaysAndNothingIsMadeUpFor() {
        var state = Self.begun(3, perSecond: 2)
        state.answered(0, stays: true)
        #expect(state.next(at: 1) == .wait(until: Self.second / 2))
        // Late by a minute: the next is due half a second after it, and no sooner.
        let late = 60 * Self.second
        #expect(state.next(at: late) == .send(position: 1, connection: 0, wasHeld: false))
        state.answered(0, stays: true)
        #expect(state.next(at: late) == .wait(until: late + Self.second / 2))
        #expect(state.next(at: late + Self.second / 2) == .send(position: 2, connection: 0, wasHeld: false))
        #expect(state.next(at: late + Self.second) == .wait(until: nil))
        state.answered(0, stays: true)
        #expect(state.next(at: late + Self.second) == .finished && state.throttle?.stop == nil)
    }

    @Test func aRefusalIsWaitedOutAndItsRequestIsAskedAgainAtHalfThePace() {
        var state = Self.begun(3)
        state.refused(0, 0, retryAfter: 7, stays: true, at: Self.second / 2)
        let after = 7 * Self.second + Self.second / 2
        #expect(state.next(at: Self.second) == .wait(until: after))
        #expect(
            state.next(at: after) == .send(position: 0, connection: 0, wasHeld: false)
                && state.throttle?.spacing == 2 * Self.second)
        state.answered(0, stays: true)
        #expect(state.next(at: after + Self.second) == .wait(until: after + 2 * Self.second))
        #expect(state.next(at: after + 2 * Self.second) == .send(position: 1, connection: 0, wasHeld: false))
    }

    @Test func refusalsOfWhatWasUnderWayTogetherAreOne() {
        var state = Self.state(9, perSecond: 1000, connections: 6)
        var now: Int64 = 0
        for number in 0..<6 {
            #expect(state.begin() == number)
            now += Self.second / 1000
            #expect(state.next(at: now) == .send(position: number, connection: number, wasHeld: false))
        }
        for number in 0..<6 { state.refused(number, number, retryAfter: nil, stays: true, at: now) }
        #expect(state.throttle?.stop == nil && state.throttle?.spacing == Self.second / 500)
        #expect(state.next(at: now) == .wait(until: now + Throttle.usualPause))
        // All six are asked again.
        var asked: Set<Int> = []
        for round in 0..<6 {
            now += Throttle.usualPause
            guard case .send(let request, let connection, _) = state.next(at: now) else {
                Issue.record("round \(round) sent nothing")
                return
            }
            asked.insert(request)
            state.answered(connection, stays: true)
        }
        #expect(asked == Set(0..<6))
    }

    @Test func aTargetThatKeepsRefusingIsLeftAlone() {
        var state = Self.begun(2)
        var now: Int64 = 0
        var pauses: [Int64] = []
        while state.throttle?.stop == nil {
            state.refused(0, 0, retryAfter: nil, stays: true, at: now)
            guard case .wait(let until?) = state.next(at: now) else { break }
            pauses.append((until - now) / Self.second)
            now = until
            #expect(state.next(at: now) == .send(position: 0, connection: 0, wasHeld: false))
        }
        #expect(pauses == [5, 10, 20, 40] && state.throttle?.stop == .refused(times: Throttle.mostRefusals))
        #expect(state.next(at: now) == .finished)
    }

    /// It asked for everything, kept nothing, and ended well.
    @Test func aTargetThatAdmitsNobodyIsLeftAlone() {
        var state = Self.begun(100)
        for number in 1..<2 * Throttle.mostDenials {
            // The fourth is admitted, and the count begins anew.
            state.answered(0, isDenied: number != Throttle.mostDenials - 1, stays: true)
            if state.throttle?.stop != nil { break }
            let step = state.next(at: Int64(number) * Self.second)
            #expect(step == .send(position: number, connection: 0, wasHeld: false))
        }
        #expect(state.throttle?.stop == .denied(times: Throttle.mostDenials))
        #expect(state.next(at: 100 * Self.second) == .finished)
    }

    @Test func anAnswerBetweenRefusalsStartsTheirCountAnew() {
        var state = Self.begun(100)
        var now: Int64 = 0
        for _ in 0..<20 {
            state.refused(0, 0, retryAfter: 1, stays: true, at: now)
            now += 20 * Self.second
            guard case .send = state.next(at: now) else { break }
            state.answered(0, stays: true)
            now += 20 * Self.second
            guard case .send = state.next(at: now) else { break }
        }
        #expect(
            now == 800 * Self.second && state.throttle?.stop == nil
                && state.throttle?.spacing == Throttle.slowestSpacing)
    }

    /// One of two requests under way was refused and the other answered; the pause after the next
    /// refusal, within the first pause, was half as long.
    @Test func aRefusalAfterAnAnswerWithinAPauseHasAWholePause() {
        var throttle = Throttle(RequestRate(perSecond: 1))
        throttle.noteRefusal(retryAfter: nil, at: 0)
        throttle.noteAnswer(isDenied: false)
        let late = Throttle.usualPause - 1
        throttle.noteRefusal(retryAfter: nil, at: late)
        #expect(throttle.opensAt == late + Throttle.usualPause)
    }

    @Test func aTargetThatNamesALongPauseIsLeftAlone() {
        let most = Int(Throttle.longestPause / Self.second)
        var state = Self.begun(2)
        state.refused(0, 0, retryAfter: most, stays: true, at: 0)
        #expect(state.throttle?.stop == nil && state.next(at: 0) == .wait(until: Throttle.longestPause))
        state = Self.begun(2)
        state.refused(0, 0, retryAfter: most + 1, stays: true, at: 0)
        #expect(state.next(at: 0) == .finished && state.throttle?.stop == .toldToWait(seconds: most + 1))
    }

    @Test func aTargetThatIsGoneEndsIt() {
        var state = Self.begun(100)
        state.failed(0, at: 0)
        var now: Int64 = 0
        for attempt in 1..<Throttle.mostFailures {
            #expect(state.throttle?.stop == nil)
            #expect(state.next(at: now) == .wait(until: now + Self.second))
            now += Self.second
            #expect(state.next(at: now) == .open(connection: 0))
            // Four attempts counted as four failed requests.
            let isLast = attempt == Throttle.mostFailures - 1
            #expect(state.couldNotOpen(0, at: now) == (isLast ? 1 : nil))
        }
        #expect(state.next(at: now) == .finished && state.throttle?.stop == .failed(times: Throttle.mostFailures))
    }

    /// A request under way when it stops is still answered.
    @Test func itEndsAfterTheRequestsUnderWay() {
        var state = Self.begun(9, connections: 2)
        #expect(state.next(at: Self.second) == .open(connection: 1))
        #expect(state.next(at: Self.second) == .wait(until: nil))
        state.opened(1)
        #expect(state.next(at: Self.second) == .send(position: 1, connection: 1, wasHeld: false))
        #expect(state.next(at: 2 * Self.second) == .wait(until: nil))
        state.refused(1, 1, retryAfter: 86_400, stays: true, at: Self.second)
        #expect(state.next(at: Self.second) == .wait(until: nil))
        state.answered(0, stays: true)
        #expect(state.next(at: Self.second) == .finished)
    }
}

/// Whole warmings over real sockets, of targets that do as a script says.
@Suite(.timeLimit(.minutes(10))) struct WarmingTests {
    /// Asks an origin for these targets; stops the origin.
    private static func warm(
        _ targets: [String], from origin: ScriptedOrigin, perSecond: Int = 1000, connections: Int = 2,
        during: (Replay) -> Void = { _ in }
    ) throws -> (run: ReplayResult, kept: KeptAnswers, report: WarmResult) {
        defer { origin.stop() }
        let rate = RequestRate(perSecond: perSecond)
        let recording = try TestRecording(TestRecording.exchanges(targets))
        let ending = try ReplayTests.run(
            recording, origin.port, .warming(rate), connections: connections, during: during)
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
        let targets = ["/v1/a", "/v1/b", "/v1/c", "/v1/b", "/v1/c", "/v1/c"]
        let result = try Self.warm(targets, from: origin, connections: 1)
        #expect(Self.asked(origin) == ["/v1/c", "/v1/b", "/v1/a"])
        #expect(result.run.planned == 3 && result.kept.asked == 3 && result.kept.unknown == 3)
        #expect(result.report.stoppedBecause == nil)
    }

    @Test func outcomesOfTheCacheAreCounted() throws {
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
        let result = try Self.warm(said.keys.sorted() + ["/v1/silent"], from: origin)
        #expect(result.kept.stored == 1 && result.kept.present == 1 && result.kept.notStored == 2)
        #expect(result.kept.unknown == 1 && result.kept.asked == 5 && result.run.statuses == [200: 5])
        #expect(result.report.text.contains("sent 5 of 5 distinct requests"))
        let json = result.report.json
        #expect(json["hits"] == 1 && json["stored"] == 1 && json["not_stored"] == 2 && json["stopped"] == .null)
    }

    /// Each refused attempt was a failed request.
    @Test func aRefusedRequestThatIsRepeatedHasNotFailed() throws {
        let refusals = Mutex(1)
        let origin = try ScriptedOrigin([
            .serve { _ in
                let isRefused = refusals.withLock { left in
                    left -= 1
                    return left >= 0
                }
                return isRefused
                    ? Self.answer("503 Service Unavailable", "Retry-After: 1\r\n") : Self.answer("200 OK", "")
            }
        ])
        let result = try Self.warm(["/v1/a", "/v1/b"], from: origin, connections: 1)
        #expect(Self.asked(origin).sorted() == ["/v1/a", "/v1/a", "/v1/b"] && result.kept.refusals == 1)
        #expect(result.run.failedRequests.count == 0 && result.run.failed == 0 && result.kept.asked == 2)
    }

    @Test func aRetryAfterOfADayEndsTheWarming() throws {
        let origin = try ScriptedOrigin([
            .serve { _ in Self.answer("503 Service Unavailable", "Retry-After: 86400\r\n") }
        ])
        let result = try Self.warm(["/v1/a", "/v1/b"], from: origin, connections: 1)
        #expect(Self.asked(origin) == ["/v1/a"] && result.kept.asked == 0 && result.kept.refusals == 1)
        #expect(result.report.stoppedBecause == "the target requires a wait of 86400 s (Retry-After)")
        #expect(result.report.text.contains("STOPPED: the target requires"))
    }

    @Test func aWarmingThatIsStoppedSaysWhatWasDone() throws {
        let origin = try ScriptedOrigin([.serve { _ in Self.answer("200 OK", "") }])
        let result = try Self.warm(
            (0..<10_000).map { "/v1/\($0)" }, from: origin, perSecond: 50,
            during: { warming in
                waitUntil { warming.progress.answered > 0 }
                warming.stop()
            })
        #expect((1..<10_000).contains(result.kept.asked) && result.report.stoppedBecause?.isEmpty == false)
    }
}
