import EventLoop
import Synchronization
import Testing

@testable import Proxy

@Suite struct FailureReportTests {
    @Test func theFirstFailureIsToldAtOnceAndTheOthersAreCounted() {
        let lines = Mutex<[String]>([])
        let report = FailureReport { line in lines.withLock { $0.append(line) } }
        let start = Instant(nanoseconds: 0)
        for second in 0..<10 { report.note("connect refused", at: start + .seconds(second)) }
        report.note("tls", at: start + .seconds(10))
        report.note("tls", at: start + .seconds(20))
        #expect(
            lines.withLock { $0 } == [
                "upstream: connect refused", "upstream: tls (and 9 more failures since the last report)",
                "upstream: tls",
            ])
    }

    /// A contradiction was not told while the origin failed otherwise.
    @Test func oneKindOfTroubleDoesNotHideAnother() {
        let lines = Mutex<[String]>([])
        let report = FailureReport { line in lines.withLock { $0.append(line) } }
        let start = Instant(nanoseconds: 0)
        report.note("answers 503", at: start)
        report.note("answers otherwise", .contradiction, at: start + .seconds(1))
        report.note("answers 503", at: start + .seconds(2))
        #expect(lines.withLock { $0 } == ["upstream: answers 503", "upstream: answers otherwise"])
    }
}
