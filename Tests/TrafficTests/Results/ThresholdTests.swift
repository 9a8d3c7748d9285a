import Testing

@testable import Traffic

@Suite struct ThresholdTests {
    /// 100 requests: corrected latencies of 1 to 100 ms, 90 hits, one difference, two failures,
    /// three 5xx, in 10 s.
    private var result: ReplayResult {
        var result = ReplayResult.empty(pace: "10/s")
        for index in 1...100 as ClosedRange<Int64> {
            result.corrected.record(nanoseconds: index * 1_000_000)
            result.uncorrected.record(nanoseconds: 1_000_000)
            result.withoutLag.record(nanoseconds: index * 1_000_000)
            result.lag.record(nanoseconds: 2000)
        }
        (result.sent, result.answered, result.failures) = (102, 100, ["timed out": 2])
        result.resets = 3
        result.statuses = [200: 96, 404: 1, 502: 1, 503: 2]
        result.outcomes = ["hit": 90, "miss": 10]
        result.elapsed = .seconds(10)
        result.verification.compared = 100
        result.verification.note(
            .init(index: 1, method: "GET", target: "/", what: "status", expected: "200", found: "502"))
        return result
    }

    @Test(arguments: [
        "p99>98ms", "p99 > 98 ms", "p50>=50ms", "p99.9>0.09s", "p75<80ms", "max>99000us", "max > 99000µs", "mean<51ms",
        "corrected.p50>49ms", "uncorrected.p99<2ms", "lag.max>1999ns", "lag.mean<1s", "hit<0.95", "hit<=90%", "diff>0",
        "diff>=1%", "errors>1", "errors>1.9%", "resets>2", "resets>=2%", "rate<10.5", "rate<=10/s", "5xx>2",
        "status5xx>2.9%", "404>0",
        "status404>0",
        "P99>1ms",
    ])
    func aConditionThatHoldsFailsTheRun(text: String) throws {
        let verdict = try Threshold(text).verdict(on: result)
        #expect(verdict.isMissed)
        #expect(verdict.sentence.hasPrefix(text + ": "))
    }

    @Test(arguments: [
        "p99>100ms", "p50>51ms", "max>0.1s", "mean>51ms", "uncorrected.p99>2ms", "lag.p99>3us", "hit<0.9", "hit<90%",
        "diff>1", "diff>1%", "errors>2", "errors>2%", "resets>3", "resets>3%", "rate<10", "5xx>3", "5xx>3%", "404>1",
        "500>0",
    ])
    func aConditionThatDoesNotHoldFailsNothing(text: String) throws {
        #expect(try !Threshold(text).verdict(on: result).isMissed)
    }

    @Test func theSentenceNamesTheFigure() throws {
        let sentences = try ["p99>50ms", "hit<0.95", "diff>0", "errors>1%", "5xx>0", "rate>1", "lag.max>1ns"].map {
            try Threshold($0).verdict(on: result).sentence
        }
        #expect(
            sentences == [
                "p99>50ms: p99 was 99.0 ms", "hit<0.95: the hit ratio was 90.0 %",
                "diff>0: differences were 1 of 100 compared",
                "errors>1%: errors were 2.0 %", "5xx>0: answers with 5xx were 3", "rate>1: the rate was 10.0/s",
                "lag.max>1ns: lag.max was 2.00 µs",
            ])
    }

    /// Without bodies 302 answers had other bytes than recorded ones, and `diff>0` passed.
    @Test func aRunThatCouldNotCompareItsAnswersPassed() throws {
        func verdict(_ text: String, _ notCompared: [String: Int]) throws -> Threshold.Verdict {
            var result = ReplayResult.empty()
            (result.verification.compared, result.verification.notCompared) = (199, notCompared)
            return try Threshold(text).verdict(on: result)
        }
        let missing = ["content not recorded": 300, "too many at once": 2]
        let failed = try verdict("diff>0", missing)
        #expect(failed.isMissed)
        #expect(
            failed.sentence == "diff>0: differences were 0 of 199 compared, and 302 could not be compared")
        // All of them would not be too many; and where nothing was recorded nothing can differ.
        for (text, missed) in [("diff>60%", true), ("diff>61%", false), ("diff>=302", true), ("diff>302", false)] {
            #expect(try verdict(text, missing).isMissed == missed, "\(text)")
        }
        #expect(try !verdict("diff>0", ["no recorded answer": 5]).isMissed)
    }

    @Test(arguments: [
        "p99>50ms", "uncorrected.max<1s", "lag.mean>1s", "hit<0.1", "diff>5", "errors>5", "resets>5", "rate<1", "5xx>5",
    ])
    func whatCannotBeToldFailsTheRunAndSaysWhy(text: String) throws {
        let verdict = try Threshold(text).verdict(on: .empty())
        #expect(verdict.isMissed)
        #expect(["nothing", "no ", "no answer of the target has"].contains { verdict.sentence.contains(": " + $0) })
    }

    /// The target was blamed for latencies that the generator's own lag had raised.
    @Test func whatTheGeneratorsLagDecidesIsNotDecided() throws {
        var result = result
        result.corrected = Histogram()
        for index in 1...100 as ClosedRange<Int64> { result.corrected.record(nanoseconds: index * 2_000_000) }
        func verdict(_ text: String) throws -> Threshold.Verdict { try Threshold(text).verdict(on: result) }
        let unclear = try verdict("p99>150ms")
        #expect(unclear.isUndecided && !unclear.isMissed)
        #expect(
            unclear.sentence
                == "p99>150ms: p99 was 198 ms, and 99.0 ms without the generator's own lag")
        #expect(try verdict("p99>90ms").isMissed && !verdict("p99>90ms").isUndecided)
        // A corrected latency contains the lag: one that is good enough with it is good enough.
        #expect(try !verdict("p99>200ms").isMissed && !verdict("p99>200ms").isUndecided)
        #expect(try verdict("max>150ms").isUndecided && verdict("mean>80ms").isUndecided)
        #expect(try !verdict("uncorrected.p99>0ms").isUndecided && !verdict("hit<0.95").isUndecided)
    }

    /// A generator that cannot keep a rate answers for it, not the target.
    @Test func aRateThatTheGeneratorDidNotReachIsNotDecided() throws {
        var result = result
        #expect(try Threshold("rate<11").verdict(on: result).isMissed)
        result.lag = Histogram()
        for _ in 0..<100 { result.lag.record(nanoseconds: 5_000_000_000) }
        #expect(try Threshold("rate<11").verdict(on: result).isUndecided)
        #expect(try Threshold("rate<21").verdict(on: result).isMissed)
    }

    @Test func aClosedLoopHasNoLag() throws {
        var result = result
        result.lag = Histogram()
        let verdict = try Threshold("lag.p99>1ms").verdict(on: result)
        #expect(verdict.isMissed && verdict.sentence == "lag.p99>1ms: a closed loop has no schedule")
    }

    static let wrong: [(text: String, part: String)] = [
        ("p99", "has no comparison"), ("", "has no comparison"), ("p99=50ms", "there is no operator ="),
        ("p99==50ms", "there is no operator =="), ("p99=>50ms", "there is no operator =>"),
        ("p99<>50ms", "there is no operator <>"), (">50ms", "there is no metric \"\""),
        ("p101>1ms", "there is no metric \"p101\""), ("p0>1ms", "there is no metric"), ("p>1ms", "there is no metric"),
        ("latency>1ms", "there are p50, p90"), ("6xx>1", "there is no metric"), ("lag>1ms", "there is no metric"),
        ("p99>50", "its unit, ns, us, ms or s"), ("p99>ms", "its unit"), ("p99>-5ms", "its unit"),
        ("p99>1e3ms", "its unit"), ("p99>50m", "its unit"), ("hit<1.5", "from 0 to 1"), ("hit<nan", "from 0 to 1"),
        ("hit<101%", "from 0 to 1"), ("diff>some", "such as 0"), ("errors>101%", "such as 1%"),
        ("rate<fast", "such as 500"),
        ("rate<1%", "such as 500"),
    ]

    @Test(arguments: wrong.indices)
    func whatIsNoThresholdIsExplained(index: Int) {
        let (text, part) = Self.wrong[index]
        let error = #expect(throws: Threshold.Problem.self) { try Threshold(text) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "read")")
        #expect(error?.description.contains("\"\(text)\"") == true)
    }
}
