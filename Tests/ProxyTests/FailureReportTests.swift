import EventLoop
import Synchronization
import Testing

@testable import Proxy
@testable import Upstream

@Suite struct FailureReportTests {
    private func lines(_ note: (FailureReport, Instant) -> Void) -> [String] {
        let lines = Mutex<[String]>([])
        note(FailureReport { line in lines.withLock { $0.append(line) } }, Instant(nanoseconds: 0))
        return lines.withLock { $0 }
    }

    @Test func theFirstFailureIsToldAtOnceAndTheOthersAreCounted() {
        let lines = lines { report, start in
            for second in 0..<10 { report.note("connect refused", at: start + .seconds(second)) }
            report.note("tls", at: start + .seconds(10))
            report.note("tls", at: start + .seconds(20))
        }
        let counted = "upstream: tls (and 9 more failures since the last report)"
        #expect(lines == ["upstream: connect refused", counted, "upstream: tls"])
    }

    /// A contradiction was not told while the origin failed otherwise.
    @Test func oneKindOfTroubleDoesNotHideAnother() {
        let lines = lines { report, start in
            report.note("answers 503", at: start)
            report.note("answers otherwise", .contradiction, at: start + .seconds(1))
            report.note("answers 503", at: start + .seconds(2))
        }
        #expect(lines == ["upstream: answers 503", "upstream: answers otherwise"])
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
