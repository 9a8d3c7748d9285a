import Testing

@testable import EventLoop

/// Scripts: an event, the actions it must lead to, the next event.
@Suite struct DialPlanTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    private func plan(_ addresses: String..., within time: Int = 5000) -> DialPlan<String> {
        var plan = DialPlan<String>(deadline: at(time))
        #expect(plan.found(addresses, now: start) == [.dial(addresses[0])])
        return plan
    }

    @Test func theNextAddressIsTriedAfterAQuarterOfASecond() {
        var plan = plan("a", "b", "c")
        #expect(plan.nextAt == at(250))
        #expect(plan.tick(isShakingHands: false, now: at(249)) == [])
        #expect(plan.tick(isShakingHands: false, now: at(250)) == [.dial("b")])
        #expect(plan.running == ["a", "b"] && plan.nextAt == at(500))
        #expect(plan.tick(isShakingHands: false, now: at(500)) == [.dial("c")])
        #expect(plan.nextAt == nil)
    }

    @Test func aFailureIsFollowedByTheNextAtOnce() {
        var plan = plan("a", "b", "c")
        #expect(plan.failed("a", now: at(10)) == [.dial("b")])
        #expect(plan.nextAt == at(260))
    }

    @Test func aHandshakeHasASecondMoreOrItsShareOfAShortTime() {
        var plan = plan("a", "b")
        #expect(plan.tick(isShakingHands: true, now: at(250)) == [])
        #expect(plan.nextAt == at(1250))
        #expect(plan.tick(isShakingHands: true, now: at(1250)) == [.dial("b")])
        var short = self.plan("a", "b", within: 100)
        #expect(short.nextAt == at(50))
        #expect(short.tick(isShakingHands: true, now: at(50)) == [])
        #expect(short.nextAt == at(75))
        #expect(short.tick(isShakingHands: true, now: at(75)) == [.dial("b")])
    }

    /// A name whose addresses had changed was 502 until its time was over.
    @Test func newAddressesAreTriedOnceAllHaveFailed() {
        var plan = plan("a", "b")
        #expect(plan.failed("a", now: at(1)) == [.dial("b")])
        #expect(plan.failed("b", now: at(2)) == [.lookUpAgain])
        #expect(plan.found(["a", "c", "b"], now: at(3)) == [.dial("c")])
        #expect(plan.failed("c", now: at(4)) == [.fail])
    }

    @Test func eachAddressIsTriedOnce() {
        var plan = plan("a")
        #expect(plan.failed("a", now: at(1)) == [.lookUpAgain])
        #expect(plan.found(["a"], now: at(2)) == [.fail])
        // Two lines of /etc/hosts may have the same address.
        var twice = self.plan("a", "a", "b")
        #expect(twice.failed("a", now: at(1)) == [.dial("b")])
        #expect(twice.failed("b", now: at(2)) == [.lookUpAgain])
        var none = DialPlan<String>(deadline: at(5000))
        #expect(none.found([], now: start) == [.fail])
    }

    @Test func oneThatIsStillUnderWayIsWaitedFor() {
        var plan = plan("a", "b")
        _ = plan.tick(isShakingHands: false, now: at(250))
        #expect(plan.failed("b", now: at(300)) == [])
        #expect(plan.failed("a", now: at(900)) == [.lookUpAgain])
        #expect(plan.failed("a", now: at(901)) == [], "it has failed already")
    }
}
