import EventLoop
import Testing

@testable import Tier

@Suite struct BreakerTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    private func breaker(failures: Int) -> Breaker {
        var breaker = Breaker()
        for _ in 0..<failures { breaker.failed(now: now) }
        return breaker
    }

    @Test func fifthFailureOpensIt() {
        var closed = breaker(failures: 4)
        #expect(!closed.isOpen && closed.nextProbe == nil)
        #expect(closed.takesProbe(now: now + .seconds(9)) == false)
        var open = breaker(failures: 5)
        #expect(open.isOpen && open.nextProbe == now + .seconds(1))
        #expect(open.takesProbe(now: now) == false)
    }

    @Test func aSuccessInBetweenBeginsTheCountAnew() {
        var breaker = breaker(failures: 4)
        breaker.succeeded()
        for _ in 0..<4 { breaker.failed(now: now) }
        #expect(!breaker.isOpen)
        breaker.failed(now: now)
        #expect(breaker.isOpen)
    }

    @Test func oneQuestionASecondIsAskedWhileItIsOpen() {
        var breaker = breaker(failures: 5)
        #expect(breaker.takesProbe(now: now + .seconds(1) - .nanoseconds(1)) == false)
        for second in 1...3 {
            #expect(breaker.takesProbe(now: now + .seconds(second)) == true)
            #expect(breaker.takesProbe(now: now + .seconds(second)) == false)
            #expect(breaker.takesProbe(now: now + .seconds(second) + .milliseconds(999)) == false)
        }
    }

    @Test func aProbeThatFailsLeavesItOpenUntilTheNext() {
        var breaker = breaker(failures: 5)
        #expect(breaker.takesProbe(now: now + .seconds(1)) == true)
        breaker.failed(now: now + .milliseconds(1050))
        #expect(breaker.isOpen)
        #expect(breaker.takesProbe(now: now + .milliseconds(1999)) == false)
        #expect(breaker.takesProbe(now: now + .seconds(2)) == true)
    }

    @Test func aProbeThatSucceedsClosesIt() {
        var breaker = breaker(failures: 5)
        #expect(breaker.takesProbe(now: now + .seconds(1)) == true)
        breaker.succeeded()
        #expect(!breaker.isOpen)
        #expect(breaker.takesProbe(now: now + .seconds(9)) == false)
    }
}
