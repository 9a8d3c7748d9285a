import EventLoop
import Testing

@testable import Proxy
@testable import Upstream

@Suite struct FailureReportTests {
    private let report = FailureReport()
    private let start = Instant(nanoseconds: 0)

    @Test func theFirstFailureIsToldAtOnceAndTheOthersAreCounted() {
        let refused = (0..<10).map { report.line("connect refused", at: start + .seconds($0)) }
        #expect(refused.compactMap { $0 } == ["upstream: connect refused"])
        let counted = report.line("tls", at: start + .seconds(10))
        #expect(counted == "upstream: tls (and 9 more failures since the last report)")
        #expect(report.line("tls", at: start + .seconds(20)) == "upstream: tls")
        // From now on another origin is asked.
        report.forget()
        #expect(report.line("tls", at: start + .seconds(21)) == "upstream: tls")
    }

    /// A wrong key made six lines a minute for as long as nobody looked.
    @Test func aRefusedTokenIsToldOnceAMinute() {
        let lines = (0..<120).map { report.line("refuses", .token, at: start + .seconds($0)) }
        #expect(
            lines.compactMap { $0 } == [
                "upstream: refuses", "upstream: refuses (and 59 more failures since the last report)",
            ])
    }

    /// Each refusal had its token read, of which a line a minute was written.
    @Test func aDetailIsMadeForALineOnly() {
        var made = 0
        func detail() -> String {
            made += 1
            return " of key \(made)"
        }
        let lines = (0..<61).map { report.line("refuses", .token, detail: detail(), at: start + .seconds($0)) }
        #expect(
            lines.compactMap { $0 } == [
                "upstream: refuses of key 1", "upstream: refuses of key 2 (and 59 more failures since the last report)",
            ])
        #expect(made == 2)
    }

    /// A contradiction was not told while the origin failed otherwise.
    @Test func oneKindOfTroubleDoesNotHideAnother() {
        #expect(report.line("answers 503", at: start) == "upstream: answers 503")
        let other = report.line("answers otherwise", .contradiction, at: start + .seconds(1))
        #expect(other == "upstream: answers otherwise")
        #expect(report.line("answers 503", at: start + .seconds(2)) == nil)
    }

    /// The two lists of words are one: the origin's side has its own because it knows no reasons.
    @Test func everyFailuresWordIsThatOfItsReason() {
        let failures: [UpstreamFailure] = [
            .dial(.resolve("")), .dial(.connect("")), .dial(.tls("")), .dial(.timedOut), .timeout(.firstByte),
            .timeout(.content), .timeout(.whole), .closedEarly(.head), .malformed(.statusLine), .switchedProtocols,
            .tooManyInterimResponses, .tooManyWaiting(retryAfter: 1), .waitedTooLong(retryAfter: 1), .draining,
            .readerTooSlow, .heldBack(retryAfter: 1),
        ]
        for failure in failures { #expect(failure.word == failure.reason.text, "\(failure)") }
    }
}
