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
        "status5xx>2.9%", "404>0", "status404>0", "P99>1ms",
    ])
    func aConditionThatHoldsFailsTheRun(text: String) throws {
        let verdict = try Threshold(text).verdict(on: result)
        #expect(verdict.isMissed)
        #expect(verdict.sentence.hasPrefix(text + ": "))
    }

    @Test(arguments: [
        "p90>100ms", "p50>52ms", "p99<98ms", "max<0.1s", "uncorrected.p90>2ms", "lag.p99>3us", "hit<0.9", "hit<90%",
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
                "p99>50ms: p99 was 100 ms", "hit<0.95: the hit ratio was 90.0 %",
                "diff>0: differences were 1 of 100 compared", "errors>1%: errors were 2.0 %",
                "5xx>0: answers with 5xx were 3", "rate>1: the rate was 10.0/s", "lag.max>1ns: lag.max was 2.00 µs",
            ])
        var loop = result
        loop.lag = Histogram()
        let lag = try Threshold("lag.p99>1ms").verdict(on: loop)
        #expect(lag.isMissed && lag.sentence == "lag.p99>1ms: a closed loop has no schedule")
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
        #expect(failed.sentence == "diff>0: differences were 0 of 199 compared, and 302 could not be compared")
        // All of them would not be too many; and where nothing was recorded nothing can differ.
        for (text, missed) in [("diff>60%", true), ("diff>61%", false), ("diff>=302", true), ("diff>302", false)] {
            #expect(try verdict(text, missing).isMissed == missed, "\(text)")
        }
        #expect(try !verdict("diff>0", ["no recorded answer": 5]).isMissed)
    }

    @Test(arguments: [
        "p99>50ms", "uncorrected.max<1s", "lag.mean>1s", "hit<0.1", "diff>5", "errors>5", "resets>5", "rate<1", "5xx>5",
    ])
    func aMissingFigureFailsTheRunAndSaysWhy(text: String) throws {
        let verdict = try Threshold(text).verdict(on: .empty())
        #expect(verdict.isMissed)
        #expect(["nothing", "no ", "no answer of the target has"].contains { verdict.sentence.contains(": " + $0) })
    }

    /// A threshold passed while one request in twenty timed out: those had no latency.
    @Test func aLatencyIsUnclearIfMoreRequestsFailedThanLieAboveIt() throws {
        func verdict(_ text: String, failed: Int, of kind: String = "closed") throws -> Threshold.Verdict {
            var result = result
            result.failures = [kind: failed]
            return try Threshold(text).verdict(on: result)
        }
        // The 99th percentile of 101 requests has one request above it.
        for text in ["p99>100ms", "p99>=101ms", "uncorrected.p99>2ms"] {
            #expect(try !verdict(text, failed: 1).isMissed && verdict(text, failed: 2).isMissed, "\(text)")
        }
        for text in ["max>0.1s", "mean>51ms", "p99.9>1s"] {
            #expect(try !verdict(text, failed: 0).isMissed && verdict(text, failed: 1).isMissed, "\(text)")
        }
        #expect(try !verdict("p50>76ms", failed: 50).isMissed && verdict("p50>76ms", failed: 102).isMissed)
        // Lag needs no answer, nor does a latency that is too low.
        #expect(try !verdict("lag.p99>3us", failed: 50).isMissed && !verdict("p99<1ms", failed: 50).isMissed)
        let unclear = try verdict("p99>1s", failed: 5)
        #expect(
            unclear.sentence == "p99>1s: unclear: p99 was 100 ms or more, because 5 of 105 requests failed, and 1 lies "
                + "above p99")
        #expect(!unclear.isUndecided, "the generator is not to blame")
        // Where those that were measured are slow enough, nothing is unclear.
        #expect(try verdict("p99>50ms", failed: 5).sentence == "p99>50ms: p99 was 100 ms")
        #expect(try verdict("mean>1s", failed: 5).sentence.hasSuffix("or more, because 5 of 105 requests failed"))
    }

    /// Percentiles were of the answered requests alone: with half of a hundred reset, the 90th was
    /// the 45th.
    @Test func aPercentileIsOfAllRequestsThatEnded() throws {
        var result = result
        result.failures = ["connection reset": 300]
        for (text, isMissed) in [("p25>99ms", true), ("p24>97ms", false), ("p24>95ms", true), ("p20>81ms", false)] {
            #expect(try Threshold(text).verdict(on: result).isMissed == isMissed, "\(text)")
        }
        let rows = result.latencyTable.rows
        #expect(rows.first == ["50 %", "100 ms", "1.00 ms", "2.00 µs"], "lag is of all that were sent")
        #expect(result.json["corrected"]?["percentiles"]?["50"]?.intValue == 100_000_000)
        #expect(result.notes.contains(ReportNotes.failures))
    }

    /// `5xx>0.05` was a number of answers, and held for the first one.
    @Test func aNumberWithAPointIsAShare() throws {
        for (text, missed) in [("5xx>0.02", true), ("5xx>0.03", false), ("errors>0.019", true), ("errors>0.0", true)] {
            #expect(try Threshold(text).verdict(on: result).isMissed == missed, "\(text)")
        }
        #expect(try Threshold("5xx>0.02").verdict(on: result).sentence == "5xx>0.02: answers with 5xx were 3.0 %")
    }

    /// Four requests at 2/s were "2.66/s": the space after the last one was not counted.
    @Test func aRateIsOfTheWholeTime() throws {
        var result = result
        (result.answered, result.elapsed, result.pacedLength) = (4, .milliseconds(1500), .seconds(2))
        #expect(result.rate == 2)
        result.elapsed = .seconds(4)
        #expect(result.rate == 1)
    }

    /// The target was blamed for latencies that the generator's own lag had raised.
    @Test func aFigureDecidedByTheGeneratorsLagIsUndecided() throws {
        var result = result
        result.failures = [:]
        result.corrected = Histogram()
        for index in 1...100 as ClosedRange<Int64> { result.corrected.record(nanoseconds: index * 2_000_000) }
        func verdict(_ text: String) throws -> Threshold.Verdict { try Threshold(text).verdict(on: result) }
        let unclear = try verdict("p99>150ms")
        #expect(unclear.isUndecided && !unclear.isMissed)
        #expect(unclear.sentence == "p99>150ms: p99 was 198 ms, and 99.0 ms without the generator's own lag")
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

    static let wrong: [(String, String)] = [
        ("p99", "has no comparison"), ("", "has no comparison"), ("p99=50ms", "there is no operator ="),
        ("p99==50ms", "there is no operator =="), ("p99=>50ms", "there is no operator =>"),
        ("p99<>50ms", "there is no operator <>"), (">50ms", "there is no metric \"\""),
        ("p101>1ms", "there is no metric \"p101\""), ("p0>1ms", "there is no metric"), ("p>1ms", "there is no metric"),
        ("latency>1ms", "there are p50, p90"), ("6xx>1", "there is no metric"), ("lag>1ms", "there is no metric"),
        ("p99>50", "its unit, ns, us, ms or s"), ("p99>ms", "its unit"), ("p99>-5ms", "its unit"),
        ("p99>1e3ms", "its unit"), ("p99>50m", "its unit"), ("hit<1.5", "from 0 to 1"), ("hit<nan", "from 0 to 1"),
        ("hit<101%", "from 0 to 1"), ("diff>some", "such as 5"), ("5xx>1.5", "a whole number"),
        ("errors>1.0", "such as 1% or 0.01"), ("errors>101%", "such as 1%"),
        ("rate<fast", "such as 500"), ("rate<1%", "such as 500"),
    ]

    @Test(arguments: wrong)
    func otherTextsThanThresholdsAreExplained(text: String, part: String) {
        let error = #expect(throws: Threshold.Problem.self) { try Threshold(text) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "read")")
        #expect(error?.description.contains("\"\(text)\"") == true)
    }
}

@Suite struct GeneratorLagTests {
    /// A run whose requests were late by `lag`, and took `own` from then on.
    private static func result(lag: Int64, own: Int64) -> ReplayResult {
        var result = ReplayResult.empty(pace: "100/s", connections: 4)
        result.answered = 1
        result.lag.record(nanoseconds: lag)
        result.corrected.record(nanoseconds: lag + own)
        result.withoutLag.record(nanoseconds: own)
        result.uncorrected.record(nanoseconds: own)
        return result
    }

    private static func verdicts(_ texts: [String], _ result: ReplayResult) throws -> [Threshold.Verdict] {
        try texts.map { try Threshold($0).verdict(on: result) }
    }

    @Test(
        arguments: [
            // A millisecond is tolerated, and a tenth of the whole.
            (1_000_000, 500_000, true), (1_100_000, 500_000, false), (4_900_000, 50_000_000, true),
            (6_100_000, 50_000_000, false),
        ] as [(Int64, Int64, Bool)])
    func aLatencyIsMarkedWhenLagIsTooMuchOfIt(_ lag: Int64, _ own: Int64, _ isUnmarked: Bool) {
        #expect((Self.result(lag: lag, own: own).latenessAtP99 == nil) == isUnmarked)
    }

    /// On an idle machine with two cores the example of the README ended so: 1 % of its requests
    /// lagged by two milliseconds, and nothing was asserted of latencies.
    @Test func aRunWithALagOfMillisecondsWasInvalidThoughNothingDependedOnIt() throws {
        var result = Self.result(lag: 3_000_000, own: 500_000)
        result.verification.compared = 1
        result.judge([])
        #expect(result.invalidBecause == nil)
        result.judge(try Self.verdicts(["p99>10ms", "diff>0", "errors>0"], result))
        #expect(result.invalidBecause == nil)
    }

    @Test func aRunWhoseAssertedFigureIsDecidedByLagIsInvalid() throws {
        var result = Self.result(lag: 3_000_000, own: 500_000)
        result.judge(try Self.verdicts(["errors>0", "p99>2ms"], result))
        let reason = try #require(result.invalidBecause)
        #expect(reason.hasPrefix("the generator was too late to decide p99>2ms: p99 was 3.5"))
        // Missed with or without it.
        result.judge(try Self.verdicts(["p99>400us"], result))
        #expect(result.invalidBecause == nil)
    }

    @Test func aRunThatShowsMostlyTheGeneratorIsInvalid() {
        var result = Self.result(lag: 300_000_000, own: 500_000)
        result.judge([])
        #expect(result.invalidBecause?.hasPrefix("the generator was late: 30") == true)
        result = Self.result(lag: 9_000_000, own: 500_000)
        result.judge([])
        #expect(result.invalidBecause == nil)
        result = Self.result(lag: 0, own: 1)
        result.lag = Histogram()
        result.judge([])
        #expect(result.invalidBecause == nil && result.latenessAtP99 == nil)
        result = SyntheticResult.make(seed: 4, seconds: 20)
        #expect(!result.hasLatenessOfItsOwn && result.latencyTable.head.count == 4)
    }

    /// A generator that stopped for a second in 200 had a valid run whose p99.9 was its own
    /// lateness, and nothing said so.
    @Test func aStandstillOfTheGeneratorIsMarkedAtThePercentilesThatItMade() throws {
        var result = ReplayResult.empty(pace: "100/s", connections: 4)
        for index in 0..<20_000 as Range<Int64> {
            let late = index < 100 ? (100 - index) * 10_000_000 : 20_000
            result.lag.record(nanoseconds: late)
            result.corrected.record(nanoseconds: late + 500_000)
            result.withoutLag.record(nanoseconds: 500_000)
            result.uncorrected.record(nanoseconds: 500_000)
        }
        result.judge([])
        #expect(result.invalidBecause == nil)
        let marked = result.latencyTable.rows.filter { $0.last == ReportNotes.generatorsMark }.map { $0[0] }
        #expect(marked == ["99.9 %", "99.99 %", "99.999 %", "max", "mean"])
        let text = TerminalSummary.text(of: result)
        #expect(text.split(separator: "\n").filter { $0.hasSuffix("  " + ReportNotes.generatorsMark) }.count == 5)
        #expect(text.contains(ReportNotes.generators) && text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        let table = HTMLReport.report(of: result).tables[0]
        #expect(table.rows.filter { $0.last == ReportNotes.generatorsMark }.map { $0[0] } == marked)
        #expect(ReplayComparison(("a", result), ("b", result)).text.contains(", " + ReportNotes.generatorsMark))

        func sentence(_ text: String) throws -> String { try Threshold(text).verdict(on: result).sentence }
        #expect(try sentence("p99.9>50ms").hasSuffix(", and 500 µs without the generator's own lag"))
        #expect(try sentence("max>10s").hasSuffix("; the generator's own lag is 1.00 s of that"))
        #expect(try sentence("p99>50ms").hasSuffix(": p99 was 520 µs"))
        #expect(try sentence("uncorrected.p99.9>50ms").hasSuffix(": uncorrected.p99.9 was 500 µs"))
    }
}
