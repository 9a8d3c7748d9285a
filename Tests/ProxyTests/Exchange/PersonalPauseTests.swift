import Cache
import EventLoop
import Testing

@testable import Proxy

@Suite struct PersonalPauseTests {
    private static func second(_ number: Int64) -> Instant { Instant(nanoseconds: number * 1_000_000_000) }
    private static let long = second(1_000_000)

    @Test func itHoldsUntilTheLastProcessHasEndedAndItsWriteIsSeen() {
        let pause = PersonalPause()
        #expect(!pause.holds(at: Self.second(1000)))
        pause.begin()
        #expect(pause.holds(at: Self.second(1000)) && pause.holds(at: Self.long))
        pause.finish(at: Self.second(2000))
        let end = Self.second(2000) + UserGenerations.quietPeriod
        #expect(pause.holds(at: end - .nanoseconds(1)))
        #expect(!pause.holds(at: end))
        // The end of the process before it ended the pause while another one still answered.
        let two = PersonalPause()
        two.begin()
        two.begin()
        two.finish(at: Self.second(1000))
        #expect(two.holds(at: Self.long))
        two.finish(at: Self.second(2000))
        #expect(two.holds(at: Self.second(2000)) && !two.holds(at: Self.long))
    }
}
