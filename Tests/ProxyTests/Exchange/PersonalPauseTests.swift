import Cache
import EventLoop
import Testing

@testable import Proxy

@Suite struct PersonalPauseTests {
    private static func second(_ number: Int64) -> Instant { Instant(nanoseconds: number * 1_000_000_000) }
    private static let long = second(1_000_000)

    @Test func itHoldsFromItsBeginningUntilTheOthersLastWriteIsSeen() {
        let pause = PersonalPause()
        #expect(!pause.holds(at: Self.second(1000)))
        pause.begin()
        #expect(pause.holds(at: Self.second(1000)) && pause.holds(at: Self.long))
        pause.finish(at: Self.second(2000))
        let end = Self.second(2000) + UserGenerations.quietPeriod
        #expect(pause.holds(at: end - .nanoseconds(1)))
        #expect(!pause.holds(at: end))
    }

    /// The end of the one process before it, or of an upgrade that failed, ended the pause while
    /// another process still answered.
    @Test func itHoldsUntilTheLastOfTwoOtherProcessesHasEnded() {
        let pause = PersonalPause()
        pause.begin()
        pause.begin()
        pause.finish(at: Self.second(1000))
        #expect(pause.holds(at: Self.long))
        pause.finish(at: Self.second(2000))
        #expect(pause.holds(at: Self.second(2000)) && !pause.holds(at: Self.long))
    }
}
