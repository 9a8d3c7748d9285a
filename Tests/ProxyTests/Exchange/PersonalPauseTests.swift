import Cache
import Testing

@testable import Proxy

@Suite struct PersonalPauseTests {
    @Test func itHoldsFromItsBeginningUntilTheOthersLastWriteIsSeen() {
        let pause = PersonalPause()
        #expect(!pause.holds(at: 1000))
        pause.begin()
        #expect(pause.holds(at: 1000) && pause.holds(at: 1_000_000))
        pause.finish(at: 2000)
        #expect(pause.holds(at: 2000 + UserGenerations.quietPeriod - 1))
        #expect(!pause.holds(at: 2000 + UserGenerations.quietPeriod))
    }

    /// The end of the one process before it, or of an upgrade that failed, ended the pause while
    /// another process still answered.
    @Test func itHoldsUntilTheLastOfTwoOtherProcessesHasEnded() {
        let pause = PersonalPause()
        pause.begin()
        pause.begin()
        pause.finish(at: 1000)
        #expect(pause.holds(at: 1_000_000))
        pause.finish(at: 2000)
        #expect(pause.holds(at: 2000) && !pause.holds(at: 2000 + UserGenerations.quietPeriod))
    }
}
