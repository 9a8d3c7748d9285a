import EventLoop
import TestSupport
import Testing

@testable import Server

@Suite struct WallClockTests {
    @Test func theDateLineFollowsTheGivenTimeOfDay() {
        let time = ManualClock(784_111_777)
        var clock = WallClock(TimeOfDay { time.unixSeconds })
        #expect(clock.dateLine(at: Instant(nanoseconds: 1)) == Array("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n".utf8))
        time.advance(seconds: 23)
        #expect(clock.dateLine(at: Instant(nanoseconds: 2)) == Array("Date: Sun, 06 Nov 1994 08:50:00 GMT\r\n".utf8))
    }

    /// The clock may be set back.
    @Test func aTurnKeepsItsTimeAndTheNextFollowsTheClock() {
        let time = ManualClock(100)
        var clock = WallClock(TimeOfDay { time.unixSeconds })
        #expect(clock.seconds(at: Instant(nanoseconds: 1)) == 100)
        time.advance(seconds: 5)
        #expect(clock.seconds(at: Instant(nanoseconds: 1)) == 100)
        #expect(clock.seconds(at: Instant(nanoseconds: 2)) == 105)
        time.advance(seconds: -65)
        #expect(clock.seconds(at: Instant(nanoseconds: 3)) == 40)
    }
}
