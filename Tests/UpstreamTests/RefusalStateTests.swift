import EventLoop
import Testing

@testable import Upstream

@Suite struct RefusalStateTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func at(_ seconds: Double) -> Instant { start + .milliseconds(Int64(seconds * 1000)) }

    /// As one request meets them that is sent four times.
    private func refusing() -> RefusalState {
        var state = RefusalState()
        for seconds in [0, 0.5, 1.5, 3.5] { state.refused(retryAfter: nil, now: at(seconds)) }
        return state
    }

    @Test func theLastTryOfARequestEndsTheTrying() {
        var state = RefusalState()
        for seconds in [0, 0.5, 1.5] {
            state.refused(retryAfter: nil, now: at(seconds))
            #expect(state.admit(now: at(seconds)) == nil)
        }
        state.refused(retryAfter: nil, now: at(3.5))
        #expect(state.admit(now: at(3.5)) == 1)
        var crowd = RefusalState()
        for _ in 0..<50 { crowd.refused(retryAfter: nil, now: at(0)) }
        #expect(crowd.admit(now: at(0.1)) == nil)
        crowd.answered()
        crowd.refused(retryAfter: nil, now: at(3))
        #expect(crowd.admit(now: at(3)) == nil)
    }

    @Test func oneAfterTheOtherLooksEverLater() {
        var state = refusing()
        var looks: [Double] = []
        for tenth in 36..<200 where state.admit(now: at(Double(tenth) / 10)) == nil {
            looks.append(Double(tenth) / 10)
            state.refused(retryAfter: nil, now: at(Double(tenth) / 10))
        }
        #expect(looks == [4.5, 5.5, 7.5, 11.5, 16.5])
    }

    @Test func anyOtherAnswerOrHalfAMinuteEndsIt() {
        var state = refusing()
        state.answered()
        #expect(state.admit(now: at(3.5)) == nil && state.wait(now: at(3.5)) == nil)
        state.refused(retryAfter: nil, now: at(3.6))
        #expect(state.admit(now: at(3.6)) == nil)
        var old = refusing()
        #expect(old.admit(now: at(35)) == nil)
        old.refused(retryAfter: nil, now: at(35))
        #expect(old.admit(now: at(35)) == nil)
    }

    @Test func aLongRetryAfterIsTestedEachMinute() {
        var state = RefusalState()
        state.refused(retryAfter: .seconds(86_400), now: at(0))
        #expect(state.admit(now: at(0)) == 86_400)
        #expect(state.admit(now: at(59)) == 86_341)
        #expect(state.admit(now: at(60)) == nil, "it looks")
        #expect(state.admit(now: at(60)) == 86_340)
        state.refused(retryAfter: .seconds(10), now: at(60))
        #expect(state.admit(now: at(69)) != nil)
        #expect(state.admit(now: at(70)) == nil)
    }

    /// An origin that said "in a second" to everything for minutes was asked for every request.
    @Test func shortWaitsThatGoOnAreALastingRefusal() {
        var state = RefusalState()
        for seconds in [0.0, 1, 2] {
            state.refused(retryAfter: .seconds(1), now: at(seconds))
            #expect(state.admit(now: at(seconds)) == nil)
        }
        state.refused(retryAfter: .seconds(1), now: at(3))
        #expect(state.admit(now: at(3)) == 1 && state.heldUntil == at(4))
    }
}
