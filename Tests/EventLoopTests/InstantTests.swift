import Testing

@testable import EventLoop

@Suite struct InstantTests {
    @Test func addsAndSubtracts() {
        let instant = Instant(nanoseconds: 1_000)
        #expect(instant + .nanoseconds(5) == Instant(nanoseconds: 1_005))
        #expect(instant - .microseconds(1) == Instant(nanoseconds: 0))
        #expect(Instant(nanoseconds: 7) - Instant(nanoseconds: 9) == .nanoseconds(-2))
        #expect(Instant(nanoseconds: 7) < Instant(nanoseconds: 9))
    }

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
