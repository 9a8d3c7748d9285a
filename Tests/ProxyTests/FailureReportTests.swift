import EventLoop
import Testing

@testable import Proxy

@Suite struct FailureReportTests {
    private let report = FailureReport()
    private let start = Instant(nanoseconds: 0)

    @Test func theFirstFailureIsToldAtOnceAndTheOthersAreCounted() {
        let refused = (0..<10).map { report.line("connect refused", at: start + .seconds($0)) }
        #expect(refused.compactMap { $0 } == ["upstream: connect refused"])
        let counted = report.line("tls", at: start + .seconds(10))
        #expect(counted == "upstream: tls (and 9 more failures since the last report)")
        #expect(report.line("tls", at: start + .seconds(20)) == "upstream: tls")
    }

    /// A contradiction was not told while the origin failed otherwise.
    @Test func oneKindOfTroubleDoesNotHideAnother() {
        #expect(report.line("answers 503", at: start) == "upstream: answers 503")
        let other = report.line("answers otherwise", .contradiction, at: start + .seconds(1))
        #expect(other == "upstream: answers otherwise")
        #expect(report.line("answers 503", at: start + .seconds(2)) == nil)
    }

    @Test func ofAnotherOriginTheFirstFailureIsToldAtOnce() {
        #expect(report.line("answers 503", at: start) != nil)
        report.forget()
        #expect(report.line("answers 503", at: start + .seconds(1)) == "upstream: answers 503")
    }
}
