import Testing

@testable import Server

@Suite struct RequestBudgetTests {
    @Test func takingBeyondTheLimitIsRefusedUnlessForced() {
        let budget = RequestBudget(limit: 100)
        #expect(budget.take(60) && !budget.take(41) && budget.heldBytes == 60)
        #expect(budget.take(40) && budget.isExhausted)
        budget.give(40)
        #expect(!budget.isExhausted && budget.heldBytes == 60)
        budget.takeAnyway(150)
        #expect(budget.isExhausted && !budget.take(1))
        budget.give(150)
        #expect(budget.heldBytes == 60)
    }

    @Test func anotherLimitLeavesHeldBytes() {
        let budget = RequestBudget(limit: 100)
        #expect(budget.take(80))
        budget.limit(to: 50)
        #expect(budget.isExhausted && !budget.canHold(51) && budget.canHold(50))
        budget.limit(to: 200)
        #expect(budget.take(100) && budget.heldBytes == 180)
    }
}
