import TestSupport
import Testing

/// The raw requests of the public corpus, judged by the reader alone.
///
/// A verdict on the wire needs a proxy.
@Suite(.requires(.sharedMaterial)) struct RequestCorpusTests {
    @Test func everyCaseGetsTheVerdictItWants() throws {
        let cases = try CorpusRequest.all()
        #expect(cases.count == 965)
        for item in cases {
            let verdict = Verdict(reading: item.bytes)
            if item.hasUnknownMethod {
                #expect(verdict.messages == 1 && verdict.error == nil, "\(item.id): \(verdict)")
            } else {
                #expect(Self.isWanted(verdict, item), "\(item.id): wanted \(item.expectation), got \(verdict)")
            }
        }
    }

    /// HARDENING F16.
    @Test func aRequestCutAnywhereGetsTheVerdictOfTheWhole() throws {
        for item in try CorpusRequest.all() {
            let whole = Verdict(reading: item.bytes)
            for cuts in cutLists(item.bytes.count) {
                let split = Verdict(reading: item.bytes, cuts: cuts)
                guard split != whole else { continue }
                Issue.record("\(item.id) cut at \(cuts.prefix(3)): \(split) instead of \(whole)")
                break
            }
        }
    }

    private static func isWanted(_ verdict: Verdict, _ item: CorpusRequest) -> Bool {
        if let never = item.never, verdict.targets.contains(never) { return false }
        let isRefused = verdict.messages == 0 && verdict.error.map { item.statuses.contains($0.status) } == true
        switch item.expectation {
        case "accept", "two-requests", "three-requests":
            return verdict.messages == item.requests && verdict.error == nil
        case "reject": return isRefused
        case "reject-or-close": return verdict.messages == 0 && verdict.error != nil
        case "accept-or-reject": return isRefused || verdict.messages <= item.requests
        case "at-most-one":
            let isOver = verdict.error != nil || verdict.end == .closed
            return verdict.messages <= item.requests && (!item.mustClose || isOver)
        case "accept-then-close": return verdict.messages == 1 && verdict.end == .closed
        case "accept-then-reject": return verdict.messages == 1 && verdict.error != nil
        case "wait": return verdict.messages == 0 && verdict.end == .incomplete
        case "wait-or-reject": return verdict.messages == 0 && verdict.end != .clean
        default: return false
        }
    }
}
