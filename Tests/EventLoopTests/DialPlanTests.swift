import Testing

@testable import EventLoop

@Suite struct DialPlanTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func addressesComeInOrderWithEqualSharesOfTheTimeLeft() {
        var plan = DialPlan(["a", "b", "c"], preferred: nil, deadline: start + .seconds(6))
        #expect(plan.next(now: start) == .init(address: "a", giveUp: start + .seconds(2)))
        #expect(plan.next(now: start) == .init(address: "b", giveUp: start + .seconds(3)))
        #expect(plan.next(now: start + .seconds(3)) == .init(address: "c", giveUp: nil))
        #expect(plan.next(now: start + .seconds(3)) == nil)
    }

    @Test func addressThatWorkedLastComesFirst() {
        var plan = DialPlan(["a", "b", "c"], preferred: "c", deadline: start + .seconds(6))
        let order = (0..<3).compactMap { _ in plan.next(now: start)?.address }
        #expect(order == ["c", "a", "b"])
    }

    @Test func addressThatIsGoneIsNotTried() {
        var plan = DialPlan(["a"], preferred: "z", deadline: start + .seconds(6))
        #expect(plan.next(now: start) == .init(address: "a", giveUp: nil))
        #expect(plan.next(now: start) == nil)
    }

    @Test func pastDeadlineLeavesNoTime() {
        var plan = DialPlan(["a", "b"], preferred: nil, deadline: start)
        #expect(plan.next(now: start + .seconds(1)) == .init(address: "a", giveUp: start + .seconds(1)))
    }
}
