import Testing

@testable import EventLoop

@Suite struct InstantTests {
    @Test func saturatesInsteadOfTrapping() {
        let forEver = Duration(secondsComponent: .max, attosecondsComponent: 0)
        #expect(Instant.now() + forEver == Instant(nanoseconds: .max))
        #expect(forEver.wholeNanoseconds == .max)
        #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).wholeNanoseconds == .min)
    }

    @Test func secondsToWaitAreWholeAndOneAtLeast() {
        let spans: [Duration] = [.seconds(-5), .zero, .milliseconds(1), .seconds(1), .milliseconds(1001), .seconds(60)]
        #expect(spans.map(\.secondsToWait) == [1, 1, 1, 1, 2, 60])
    }
}
