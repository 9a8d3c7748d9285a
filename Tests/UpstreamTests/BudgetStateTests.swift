import EventLoop
import Testing

@testable import Upstream

/// A job of a budget, of its first lane if of no other.
func job(_ number: Int, lane: Int = 0) -> BudgetState.JobID { BudgetState.JobID(lane: lane, number: number) }

@Suite struct BudgetStateTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    /// A budget that was asked for the first lane's jobs of these numbers, by clients.
    private func budget(
        lanes: [Int] = [1], rate: Int? = nil, maxWaiting: Int = 10, inBackground: Int = 5, asked: Range<Int> = 0..<0
    ) -> BudgetState {
        var budget = BudgetState(rate: rate, maxWaiting: maxWaiting, maxWaitingInBackground: inBackground)
        for connections in lanes { _ = budget.addLane(connections: connections) }
        for number in asked { _ = budget.submit(job(number), .waitingClient, now: now) }
        return budget
    }

    // MARK: While the origin refuses all

    /// Refuses the same request four times in 3.5 s, while others wait for the rate.
    private func refusedBudget(account: UInt64 = 0) -> (BudgetState, ActionList<BudgetState.Action>, Instant) {
        var (budget, moment, actions) = (budget(lanes: [8]), now, ActionList<BudgetState.Action>())
        for (number, pause) in [0, 500, 1000, 2000].enumerated() {
            moment = moment + .milliseconds(pause)
            _ = budget.tick(now: moment)
            _ = budget.submit(job(number), .waitingClient, account: account, isRepeated: true, now: moment)
            if number == 3 {
                _ = budget.submit(job(10), .waitingClient, account: account, now: moment)
                _ = budget.submit(job(11), .waitingClient, account: account, now: moment)
            }
            actions = budget.end(job(number), .rateLimited(), now: moment)
        }
        return (budget, actions, moment)
    }

    /// They waited for 6 to 20 s.
    @Test(arguments: [0, 7] as [UInt64]) func waitingRequestsAreTurnedAwayAfterTheLastTries(account: UInt64) {
        var (budget, actions, moment) = refusedBudget(account: account)
        #expect(actions == [.turnAway(job(10), retryAfter: 1), .turnAway(job(11), retryAfter: 1)])
        #expect(budget.waitingCount == 0 && budget.inFlight == 0)
        let next = budget.submit(job(12), .waitingClient, account: account, now: moment)
        #expect(next == [.turnAway(job(12), retryAfter: 1)])
        #expect(budget.end(job(12), .unanswered, now: moment) == [])
    }

    @Test func turningAwayIsOfOneAccountUntilAnAnswer() {
        var (budget, _, moment) = refusedBudget(account: 7)
        #expect(budget.submit(job(12), .waitingClient, account: 8, now: moment) == [.start(job(12))])
        #expect(budget.submit(job(13), .waitingClient, now: moment) == [.start(job(13))])
        var (common, _, then) = refusedBudget()
        then = then + .seconds(2)
        #expect(common.submit(job(12), .waitingClient, now: then) == [.start(job(12))], "it looks")
        #expect(common.submit(job(13), .waitingClient, now: then) == [.turnAway(job(13), retryAfter: 1)])
        _ = common.end(job(12), .answered, now: then)
        #expect(common.wait(of: 0, now: then) == nil)
    }

    @Test func nothingLeavesBeforeTheMomentThatTheOriginHasNamed() {
        var budget = budget(lanes: [8])
        _ = budget.submit(job(0), .waitingClient, now: now)
        _ = budget.end(job(0), .rateLimited(retryAfter: .seconds(2)), now: now)
        #expect(budget.submit(job(1), .waitingClient, now: now) == [])
        #expect(budget.wakeAt == now + .seconds(2))
        #expect(budget.tick(now: now + .seconds(2)) == [.start(job(1))])
    }

    // MARK: Room for optional requests

    private func hasRoom(_ budget: BudgetState, _ lane: Int, _ now: Instant) -> Bool {
        var budget = budget
        return budget.hasRoom(lane, now: now)
    }

    @Test func thereIsRoomWhileHalfOfTheConnectionsStayFree() {
        var budget = budget(lanes: [4, 1])
        #expect(hasRoom(budget, 0, now) && !hasRoom(budget, 1, now))
        _ = budget.submit(job(1), .waitingClient, now: now)
        #expect(hasRoom(budget, 0, now))
        _ = budget.submit(job(2), .waitingClient, now: now)
        #expect(!hasRoom(budget, 0, now))
        _ = budget.end(job(2), .answered, now: now)
        #expect(hasRoom(budget, 0, now))
        var other = self.budget(lanes: [4, 1])
        for number in 1...2 { _ = other.submit(job(number, lane: 1), .refresh, now: now) }
        #expect(other.waitingCount == 1 && !hasRoom(other, 0, now))
    }

    @Test func thereIsRoomWhileALimitIsAQuarterUsed() {
        var budget = budget(lanes: [8], rate: 8)
        for (number, isExpected) in [(1, true), (2, false)] {
            let then = now + .milliseconds(200 * number)
            #expect(budget.submit(job(number), .waitingClient, now: then) == [.start(job(number))])
            _ = budget.end(job(number), .answered, now: then)
            #expect(!hasRoom(budget, 0, then), "the next may not leave yet")
            #expect(hasRoom(budget, 0, then + .milliseconds(130)) == isExpected)
        }
        #expect(hasRoom(budget, 0, now + .seconds(3)))
        var refused = self.budget(lanes: [8])
        _ = refused.submit(job(1), .waitingClient, now: now)
        #expect(hasRoom(refused, 0, now))
        _ = refused.end(job(1), .rateLimited(), now: now)
        #expect(!hasRoom(refused, 0, now + .milliseconds(500)))
        #expect(hasRoom(refused, 0, now + .seconds(3)))
    }

    @Test func requestBeyondTheQueueIsRefused() {
        var budget = budget(maxWaiting: 2, asked: 0..<3)
        #expect(budget.submit(job(3), .waitingClient, now: now) == [.refuse(job(3), retryAfter: 2)])
        #expect(budget.submit(job(4), .revalidation, now: now) == [.refuse(job(4), retryAfter: 2)])
        #expect(budget.end(job(3), .unanswered, now: now) == [], "nothing is left of it")
        var other = self.budget(maxWaiting: 10, inBackground: 2, asked: 0..<1)
        _ = other.submit(job(1), .refresh, now: now)
        _ = other.submit(job(2), .refresh, now: now)
        #expect(other.submit(job(3), .refresh, now: now) == [.refuse(job(3), retryAfter: 2)])
        #expect(other.submit(job(4), .revalidation, now: now) == [])
        // The wait that it is told follows the rate.
        var slow = self.budget(lanes: [8], rate: 2, maxWaiting: 9, asked: 0..<10)
        #expect(slow.submit(job(10), .waitingClient, now: now) == [.refuse(job(10), retryAfter: 5)])
        #expect(slow.retryAfter(.waitingClient, now: now) == 5)
    }

    @Test func rateSpacesStartsUntilItIsRaised() {
        var budget = budget(lanes: [8], rate: 10)
        #expect(budget.submit(job(1), .waitingClient, now: now) == [.start(job(1))])
        #expect(budget.submit(job(2), .waitingClient, now: now) == [])
        #expect(budget.wakeAt == now + .milliseconds(80))
        #expect(budget.tick(now: now + .milliseconds(79)) == [])
        #expect(budget.tick(now: now + .milliseconds(80)) == [.start(job(2))])
        #expect(budget.wakeAt == nil)
        var raised = self.budget(lanes: [4], rate: 1, asked: 0..<3)
        #expect(raised.waitingCount == 2)
        raised.rate.limit(to: nil)
        #expect(raised.tick(now: now) == [.start(job(1)), .start(job(2))])
    }

    @Test func closedLaneHoldsNothingAndIsUsedAgain() {
        var budget = budget(lanes: [1, 1])
        for lane in 0...1 {
            for number in 0...2 { _ = budget.submit(job(number, lane: lane), .waitingClient, now: now) }
        }
        budget.closeLane(0)
        #expect(budget.inFlight == 1 && budget.waitingCount == 2)
        #expect(budget.end(job(0, lane: 0), .answered, now: now) == [])
        #expect(budget.end(job(0, lane: 1), .answered, now: now) == [.start(job(1, lane: 1))])
        #expect(budget.addLane(connections: 1) == 0 && budget.lanes.count == 2)
        #expect(budget.submit(job(3, lane: 0), .waitingClient, now: now) == [.start(job(3, lane: 0))])
    }
}
