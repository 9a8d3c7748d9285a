import Recording
import TestSupport
import Testing
import Text

@testable import Traffic

/// Results are read from files that may come from anywhere: whatever can be read must not stop the
/// reports.
@Suite struct HostileResultTests {
    private static let numbers = ["0", "1", "9", "1000000000", "1000000000000000"]

    /// The same value with some numbers exchanged for extreme ones.
    private func disturbed(_ value: JSON, _ generator: inout SeededGenerator) -> JSON {
        switch value {
        case .number where Int.random(in: 0..<25, using: &generator) == 0:
            .number(Self.numbers.randomElement(using: &generator)!)
        case .array(let elements): .array(elements.map { disturbed($0, &generator) })
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { member in
                        // The version is not what this is about.
                        member.key == "refrain_replay"
                            ? member : JSONObject.Member(key: member.key, value: disturbed(member.value, &generator))
                    }))
        default: value
        }
    }

    private func small(_ seed: UInt64) -> ReplayResult {
        var result = SyntheticResult.make(seed: seed, seconds: 2, rate: 2)
        result.statuses = [200: 4]
        return result
    }

    @Test func reportsOfWhateverCanBeReadAreMade() throws {
        var read = 0
        for seed in 0..<60 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let bytes = disturbed(small(seed).json, &generator).bytes
            guard let result = try? ReplayResult(json: bytes) else { continue }
            read += 1
            let verdicts = try ["p99>1ms", "hit<0.5", "errors>1%", "rate<1", "2xx>1%"].map {
                try Threshold($0).verdict(on: result)
            }
            let comparison = ReplayComparison(("a", result), ("b", small(seed)))
            for text in [
                TerminalSummary.text(of: result, thresholds: verdicts),
                HTMLReport.page(of: result, thresholds: verdicts),
                comparison.text, comparison.page,
            ] { #expect(!text.contains("nan") && !text.contains("inf "), "seed \(seed)") }
        }
        #expect(read > 5, "too few could be read for this to say anything")
    }

    /// U+0D4E joins the next scalar to itself as one character, so a bracket after it was in the
    /// page as it was.
    @Test func markupAfterAJoiningScalarWasRawInThePage() {
        for joiner in ["\u{D4E}", "\u{600}", "e\u{301}", "\u{1F3FB}"] {
            var result = small(1)
            let found = joiner + "</script><img>"
            result.verification.note(
                .init(index: 0, method: "GET", target: "/", what: "$.a", expected: "1", found: found))
            let page = Array(HTMLReport.page(of: result).utf8)
            for text in ["<img", joiner + "<"] { #expect(page.firstRange(of: Array(text.utf8)) == nil) }
            #expect(page.firstRange(of: Array("\\u003cimg>".utf8)) != nil)
        }
    }
}
