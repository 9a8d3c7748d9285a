import Testing
import Text

@testable import Traffic

@Suite struct TerminalSummaryTests {
    private func lines(_ result: ReplayResult, _ thresholds: [Threshold.Verdict] = []) -> [String] {
        TerminalSummary.text(of: result, thresholds: thresholds).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
    }

    @Test func itSaysWhatWasRunWhenAndHowItWent() {
        let result = SyntheticResult.make(seed: 1, seconds: 10)
        let lines = lines(result)
        #expect(lines[0] == "replay of recordings/evening.jsonl against http://127.0.0.1:8080")
        #expect(lines[1] == "  400/s, 32 connections")
        #expect(lines[2] == "  from 2026-11-22 04:00:00.250 UTC to 2026-11-22 04:00:10.250 UTC, 10.0 s")
        for explanation in [ReportNotes.corrected, ReportNotes.uncorrected, ReportNotes.lag] {
            #expect(lines.contains("  " + explanation))
        }
        let names = lines.drop { !$0.hasPrefix("latency") }.dropFirst().prefix { !$0.hasPrefix("  ") }.map {
            $0.split(separator: "  ")[0]
        }
        #expect(names == ["50 %", "75 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "max", "mean"])
        #expect(lines.contains { $0.hasPrefix("outcomes (Cache-Status), hit ratio ") })
        #expect(!lines.contains { $0.contains("INVALID") })
    }

    /// Ten of a hundred timed out, and the percentiles of the other ninety looked like those of
    /// all.
    @Test(arguments: [ReportNotes.closedLoop, ReportNotes.failures, ReportNotes.timeouts, ReportNotes.resets])
    func aNoteIsInTheReportsThatItIsAbout(_ note: String) {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.failures = [:]
        #expect(!lines(result).contains("  " + note) && lines(result).contains("  " + ReportNotes.lag))
        switch note {
        case ReportNotes.closedLoop: result.lag = Histogram()
        case ReportNotes.failures: result.failures = ["closed": 10]
        case ReportNotes.timeouts:
            result.failures = ["timed out": 10]
            for _ in 0..<10 { result.corrected.record(nanoseconds: 1_000_000_000) }
        default: result.resets = 7
        }
        #expect(lines(result).contains("  " + note))
        #expect(lines(result).contains("  " + ReportNotes.lag) == (note != ReportNotes.closedLoop))
        #expect(result.notes.contains(note) && HTMLReport.report(of: result).notes.contains(note))
        let comparison = ReplayComparison(("a", result), ("b", result))
        #expect(comparison.text.contains(note) == (note != ReportNotes.closedLoop))
        #expect(comparison.report.notes.contains(note))
    }

    @Test func columnsEndTogetherWithinAHundred() {
        var result = SyntheticResult.make(seed: 2, seconds: 10)
        result.verification = .init()
        #expect(lines(result).allSatisfy { $0.count <= 100 && $0.last != " " })
        let table = lines(SyntheticResult.make(seed: 3, seconds: 10)).drop { !$0.hasPrefix("latency") }.prefix(10)
        #expect(Set(table.map(\.count)).count == 1)
        let lines = lines(.empty())
        #expect(lines.contains("  10x, 1 connection"))
        #expect(lines.contains("max               –            –    –"))
    }

    @Test func anInvalidRunIsSaidBeforeAnyFigure() {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.invalidBecause = "the generator was late by 40 ms"
        let lines = lines(result)
        let place = lines.firstIndex(of: "INVALID RUN: the generator was late by 40 ms")
        #expect(place.map { $0 < lines.firstIndex { $0.hasPrefix("requests") } ?? 0 } == true)
    }

    @Test func tenDifferencesAreShownAndTheRestIsCounted() {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.verification = .init()
        result.verification.compared = 2000
        for index in 0..<1200 {
            result.verification.note(
                .init(index: index, method: "GET", target: "/v1/a", what: "status", expected: "200", found: "500"))
        }
        let lines = lines(result)
        #expect(lines.contains("1,200 of 2,000 answers differ from the recording"))
        #expect(lines.filter { $0.hasPrefix("  #") }.count == 10)
        #expect(lines.contains("    status: expected 200, found 500"))
        #expect(lines.contains("  and 1,190 more"))
    }

    /// "0 of 0" and "differences 0" looked like success where nothing had been looked at.
    @Test func noDifferencesAreSaidToBeZeroWhereNothingWasCompared() throws {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.verification = .init()
        #expect(!lines(result).contains { $0.contains("differ from") || $0.contains("compared") })
        result.verification.notCompared = ["content not recorded": 1200, "content coding that cannot be read": 3]
        #expect(
            lines(result).contains(
                "no answer was compared with the recording: 1,200 content not recorded, "
                    + "3 content coding that cannot be read"))
        #expect(result.json["verification"]?["different"] == .null)
        let comparison = ReplayComparison(("a", result), ("b", result))
        #expect(comparison.rows.first { $0.name == "differences" }.map { [$0.a, $0.b] } == [Figure.none, Figure.none])
        result.verification.compared = 2
        #expect(
            lines(result).contains {
                $0.hasPrefix("0 of 2 answers differ from the recording; not compared: 1,200 content not")
            })
    }

    @Test func thresholdsSayWhetherTheyHeld() throws {
        let result = SyntheticResult.make(seed: 1, seconds: 5)
        let verdicts = try ["p50>1s", "max>1ns"].map { try Threshold($0).verdict(on: result) }
        let lines = lines(result, verdicts)
        #expect(lines.contains { $0.hasPrefix("  passed  p50>1s: p50 was ") })
        #expect(lines.contains { $0.hasPrefix("  FAILED  max>1ns: max was ") })
    }

    @Test func textsOfARecordingCannotMoveTheCursor() {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.file = "\u{1B}[2Ja\u{202E}b\nc\u{9B}"
        result.invalidBecause = "\r\u{7F}"
        let text = TerminalSummary.text(of: result)
        #expect(text.hasPrefix("replay of \\u{1b}[2Ja\\u{202e}b\\u{a}c\\u{9b} against"))
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x9B })
    }

    /// Failures were a share of those sent, of which those that found no connection are not.
    @Test func plannedIsSentAndNotSent() {
        var result = ReplayResult.empty(pace: "closed loop", connections: 64)
        (result.planned, result.sent, result.answered, result.failures) = (10, 4, 4, ["connect: refused": 4])
        #expect(lines(result).contains("requests  planned 10, sent 4, not sent 6, answered 4, failed 4"))
        #expect(lines(result).contains("  closed loop, 64 connections"))
        var notes: [String] { HTMLReport.report(of: result).figures.map(\.note) }
        #expect(notes.contains("4 of 4 sent, 6 not sent") && notes.contains("50.0 % of completed requests"))
        (result.planned, result.resets) = (4, 7)
        #expect(lines(result).contains("requests  planned 4, sent 4, answered 4, failed 4, resets 7"))
        #expect(notes.contains("requests sent twice"))
    }
}

@Suite struct ReplayComparisonTests {
    private func row(_ name: String, _ comparison: ReplayComparison) -> [String]? {
        comparison.rows.first { $0.name == name }.map { [$0.a, $0.b, $0.ratio] }
    }

    @Test func figuresAreSideBySideWithTheirRatio() {
        let a = SyntheticResult.make(seed: 1, seconds: 4, rate: 50)
        var b = a
        b.answered = a.answered * 2
        b.corrected = Histogram()
        b.corrected.record(nanoseconds: (a.corrected.maximum.map(Int64.init) ?? 0) * 3)
        let comparison = ReplayComparison(("a.json", a), ("b.json", b))
        #expect(row("answered", comparison)?[2] == "2.00")
        #expect(row("latency max", comparison)?[2] == "3.00")
        #expect(row("hit ratio", comparison)?[2] == "1.00")
        #expect(comparison.unlikeness == nil)
    }

    @Test func whereThereIsNothingToDivideByThereIsADash() {
        let full = SyntheticResult.make(seed: 1, seconds: 2, rate: 50)
        let comparison = ReplayComparison(("a", .empty()), ("b", full))
        #expect(row("sent", comparison).map { [$0[0], $0[2]] } == ["0", "–"])
        #expect(row("latency 99 %", comparison).map { [$0[0], $0[2]] } == ["–", "–"])
        #expect(!comparison.text.contains("nan") && !comparison.text.contains("inf"))
    }

    @Test func differencesOfTwoRunsAreNamed() {
        let a = SyntheticResult.make(seed: 1, seconds: 2, rate: 50)
        var b = a
        (b.file, b.pace, b.invalidBecause) = ("other.jsonl", "10x", "late")
        let lines = ReplayComparison(("a", a), ("b", b)).text.split(separator: "\n")
        #expect(lines[0] == "INVALID RUN B: late")
        #expect(lines[1] == "The runs differ in recording and pace, not only in what they measured.")
        #expect(ReplayComparison(("a", a), ("b", b)).report.alarms == ["INVALID RUN B: late. \(ReportNotes.invalid)"])
    }
}
