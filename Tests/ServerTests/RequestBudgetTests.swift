import Testing

@testable import Server

@Suite struct RequestBudgetTests {
    @Test func takingBeyondTheLimitIsRefusedUnlessForced() {
        let budget = RequestBudget(limit: 100)
        #expect(budget.take(60, of: 1) == .taken && budget.take(41, of: 2) == .full && budget.heldBytes == 60)
        budget.takeAnyway(40, of: 2)
        #expect(budget.room(of: 1) == .full && budget.room(of: 3) == .full)
        budget.give(40, of: 2)
        #expect(budget.room(of: 1) == .taken && budget.heldBytes == 60)
        budget.takeAnyway(150, of: 1)
        #expect(budget.room(of: 2) == .full && budget.take(1, of: 2) == .full)
        budget.give(150, of: 1)
        #expect(budget.heldBytes == 60)
    }

    /// The requests of one client held all of the memory, and misses of all others were refused.
    @Test func aPartyLeavesAnEighthToOthers() {
        let budget = RequestBudget(limit: 800)
        for _ in 0..<7 { #expect(budget.take(100, of: 1) == .taken) }
        #expect(budget.take(1, of: 1) == .shareUsed && budget.room(of: 1) == .shareUsed)
        // A few parties in a thousand share a cell.
        #expect((2..<40).contains { budget.room(of: $0) == .taken && budget.take(80, of: $0) == .taken })
        budget.give(700, of: 1)
        #expect(budget.room(of: 1) == .taken)
    }

    @Test func anotherLimitLeavesHeldBytes() {
        let budget = RequestBudget(limit: 100)
        #expect(budget.take(80, of: 1) == .taken)
        budget.limit(to: 48)
        #expect(budget.room(of: 1) == .full && !budget.canHold(43) && budget.canHold(42))
        budget.limit(to: 200)
        #expect(budget.take(50, of: 1) == .taken && budget.heldBytes == 130)
    }
}
