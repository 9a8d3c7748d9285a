import EventLoop
import Testing

@testable import Upstream

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

    private func job(_ number: Int, lane: Int = 0) -> BudgetState.JobID {
        BudgetState.JobID(lane: lane, number: number)
    }

    /// Ends each job that starts at once, and says in which order they did.
    private func order(_ budget: inout BudgetState, after first: BudgetState.JobID) -> [Int] {
        var order: [Int] = []
        var running = first
        while case .start(let next)? = budget.end(running, .answered, now: now).first {
            order.append(next.number)
            running = next
        }
        return order
    }

    @Test func requestStartsAtOnceWhileThereIsRoom() {
        var budget = budget(lanes: [2])
        #expect(budget.submit(job(1), .waitingClient, now: now) == [.start(job(1))])
        #expect(budget.submit(job(2), .waitingClient, now: now) == [.start(job(2))])
        #expect(budget.submit(job(3), .waitingClient, now: now) == [])
        #expect(budget.inFlight == 2 && budget.waitingCount == 1 && budget.wakeAt == nil)
        #expect(budget.end(job(1), .answered, now: now) == [.start(job(3))])
    }

    // MARK: While the origin refuses all

    /// Refuses the same request four times in 3.5 s, while others wait for the rate.
    private func refusedBudget(account: UInt64 = 0) -> (BudgetState, [BudgetState.Action], Instant) {
        var (budget, moment, actions) = (budget(lanes: [8]), now, [BudgetState.Action]())
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

    @Test func anotherAccountIsNotTurnedAway() {
        var (budget, _, moment) = refusedBudget(account: 7)
        #expect(budget.submit(job(12), .waitingClient, account: 8, now: moment) == [.start(job(12))])
        #expect(budget.submit(job(13), .waitingClient, now: moment) == [.start(job(13))])
    }

    @Test func anAnswerEndsTheTurningAway() {
        var (budget, _, moment) = refusedBudget()
        moment = moment + .seconds(2)
        #expect(budget.submit(job(12), .waitingClient, now: moment) == [.start(job(12))], "it looks")
        #expect(budget.submit(job(13), .waitingClient, now: moment) == [.turnAway(job(13), retryAfter: 1)])
        _ = budget.end(job(12), .answered, now: moment)
        #expect(budget.wait(of: 0, now: moment) == nil)
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
    }

    @Test func thereIsNoRoomWhileAnythingWaits() {
        var budget = budget(lanes: [4, 1])
        for number in 1...2 { _ = budget.submit(job(number, lane: 1), .refresh, now: now) }
        #expect(budget.waitingCount == 1 && !hasRoom(budget, 0, now))
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
    }

    @Test func thereIsNoRoomAfterA429() {
        var budget = budget(lanes: [8])
        _ = budget.submit(job(1), .waitingClient, now: now)
        #expect(hasRoom(budget, 0, now))
        _ = budget.end(job(1), .rateLimited(), now: now)
        #expect(!hasRoom(budget, 0, now + .milliseconds(500)))
        #expect(hasRoom(budget, 0, now + .seconds(3)))
    }

    @Test func moreUrgentGoFirstAndEqualsInTheirOrder() {
        var budget = budget(asked: 0..<1)
        let priorities: [UpstreamPriority] = [.refresh, .waitingClient, .revalidation, .waitingClient, .refresh]
        for (index, priority) in priorities.enumerated() {
            #expect(budget.submit(job(index + 1), priority, now: now) == [])
        }
        #expect(order(&budget, after: job(0)) == [2, 4, 3, 1, 5])
    }

    /// The last of them went first, and the first might have waited for ever.
    @Test func repeatedRequestsKeepTheirOrder() {
        var budget = budget(asked: 0..<2)
        for number in 2...4 { _ = budget.submit(job(number), .waitingClient, isRepeated: true, now: now) }
        _ = budget.submit(job(5), .waitingClient, now: now)
        #expect(order(&budget, after: job(0)) == [2, 3, 4, 1, 5])
    }

    @Test func repeatedRequestsOfSeveralLanesKeepTheirOrder() {
        var budget = budget(lanes: [1, 1], rate: 1)
        #expect(budget.submit(job(0), .waitingClient, now: now) == [.start(job(0))])
        #expect(budget.end(job(0), .answered, now: now) == [])
        for number in 1...2 {
            _ = budget.submit(job(number, lane: number - 1), .waitingClient, isRepeated: true, now: now)
        }
        #expect(budget.tick(now: now + .seconds(1)) == [.start(job(1))])
    }

    /// The line is whole wherever a repeat leaves it.
    @Test(arguments: 2...4) func repeatedRequestThatIsTakenBackLeavesTheOthersTheirOrder(gone: Int) {
        var budget = budget(asked: 0..<2)
        for number in 2...4 { _ = budget.submit(job(number), .waitingClient, isRepeated: true, now: now) }
        #expect(budget.end(job(gone), .unanswered, now: now) == [])
        _ = budget.submit(job(5), .waitingClient, isRepeated: true, now: now)
        #expect(order(&budget, after: job(0)) == [2, 3, 4, 5].filter { $0 != gone } + [1])
    }

    @Test func promotedRequestGoesBehindThoseThatWereAsUrgent() {
        var budget = budget(asked: 0..<2)
        for number in 2...3 { _ = budget.submit(job(number), .refresh, now: now) }
        _ = budget.submit(job(4), .revalidation, now: now)
        #expect(budget.promote(job(3), to: .waitingClient, now: now) == [])
        #expect(budget.promote(job(4), to: .refresh, now: now) == [], "never less urgent")
        #expect(order(&budget, after: job(0)) == [1, 3, 4, 2])
    }

    @Test func promotionMayMakeRoom() {
        var budget = budget(lanes: [2])
        #expect(budget.submit(job(1), .refresh, now: now) == [.start(job(1))])
        #expect(budget.submit(job(2), .refresh, now: now) == [])
        #expect(budget.promote(job(2), to: .revalidation, now: now) == [.start(job(2))])
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (9, 4)])
    func backgroundUsesHalfTheConnectionsAtMost(connections: Int, share: Int) {
        var budget = budget(lanes: [connections], maxWaiting: 100, inBackground: 100)
        let started = (0..<20).filter { !budget.submit(job($0), .refresh, now: now).isEmpty }
        #expect(started.count == share)
        if connections > share {
            #expect(budget.submit(job(99), .waitingClient, now: now) == [.start(job(99))])
        }
    }

    @Test func laneThatIsFullDoesNotHoldUpAnother() {
        var budget = budget(lanes: [1, 1])
        _ = budget.submit(job(1, lane: 0), .waitingClient, now: now)
        #expect(budget.submit(job(2, lane: 0), .waitingClient, now: now) == [])
        #expect(budget.submit(job(3, lane: 1), .refresh, now: now) == [.start(job(3, lane: 1))])
    }

    // MARK: The queue's bound

    @Test func requestBeyondTheQueueIsRefused() {
        var budget = budget(maxWaiting: 2, asked: 0..<3)
        #expect(budget.submit(job(3), .waitingClient, now: now) == [.refuse(job(3), retryAfter: 2)])
        #expect(budget.submit(job(4), .revalidation, now: now) == [.refuse(job(4), retryAfter: 2)])
        #expect(budget.end(job(3), .unanswered, now: now) == [], "nothing is left of it")
    }

    @Test func moreUrgentRequestReplacesTheNewestOfTheLeastUrgent() {
        var budget = budget(lanes: [1, 1], maxWaiting: 3)
        for lane in 0...1 { _ = budget.submit(job(0, lane: lane), .waitingClient, now: now) }
        _ = budget.submit(job(1, lane: 0), .refresh, now: now)
        _ = budget.submit(job(2, lane: 1), .refresh, now: now)
        _ = budget.submit(job(3, lane: 0), .revalidation, now: now)
        #expect(budget.submit(job(4), .waitingClient, now: now) == [.refuse(job(2, lane: 1), retryAfter: 3)])
        #expect(budget.submit(job(5), .waitingClient, now: now) == [.refuse(job(1), retryAfter: 3)])
        #expect(budget.submit(job(6), .waitingClient, now: now) == [.refuse(job(3), retryAfter: 3)])
        #expect(budget.submit(job(7), .waitingClient, now: now) == [.refuse(job(7), retryAfter: 3)])
    }

    @Test func backgroundHasATighterBound() {
        var budget = budget(maxWaiting: 10, inBackground: 2, asked: 0..<1)
        _ = budget.submit(job(1), .refresh, now: now)
        _ = budget.submit(job(2), .refresh, now: now)
        #expect(budget.submit(job(3), .refresh, now: now) == [.refuse(job(3), retryAfter: 2)])
        #expect(budget.submit(job(4), .revalidation, now: now) == [])
    }

    @Test func fullQueueOfOneLaneLeavesRoomForOneThatCanStart() {
        var budget = budget(lanes: [1, 1], maxWaiting: 1, asked: 0..<2)
        #expect(budget.submit(job(2, lane: 1), .refresh, now: now) == [.start(job(2, lane: 1))])
    }

    @Test func waitToldFollowsTheRate() {
        var budget = budget(lanes: [8], rate: 2, maxWaiting: 9, asked: 0..<10)
        #expect(budget.submit(job(10), .waitingClient, now: now) == [.refuse(job(10), retryAfter: 5)])
        #expect(budget.retryAfter(.waitingClient, now: now) == 5)
    }

    // MARK: The rate

    @Test func rateSpacesStartsAndSaysWhenToLookAgain() {
        var budget = budget(lanes: [8], rate: 10)
        #expect(budget.submit(job(1), .waitingClient, now: now) == [.start(job(1))])
        #expect(budget.submit(job(2), .waitingClient, now: now) == [])
        #expect(budget.wakeAt == now + .milliseconds(80))
        #expect(budget.tick(now: now + .milliseconds(79)) == [])
        #expect(budget.tick(now: now + .milliseconds(80)) == [.start(job(2))])
        #expect(budget.wakeAt == nil)
    }

    @Test func rateGoesToTheMostUrgentOfAllLanes() {
        var budget = budget(lanes: [8, 8], rate: 10, asked: 0..<1)
        _ = budget.submit(job(1, lane: 0), .refresh, now: now)
        _ = budget.submit(job(2, lane: 1), .waitingClient, now: now)
        #expect(budget.tick(now: now + .seconds(1)).first == .start(job(2, lane: 1)))
    }

    @Test func refusalOfTheOriginHoldsOthersBack() {
        var budget = budget(lanes: [8], asked: 0..<2)
        #expect(budget.end(job(0), .answered, now: now) == [])
        #expect(budget.end(job(1), .rateLimited(), now: now) == [])
        #expect(budget.rate.current == 4)
        #expect(budget.submit(job(2), .waitingClient, now: now) == [.start(job(2))])
        #expect(budget.submit(job(3), .waitingClient, now: now) == [])
        #expect(budget.wakeAt != nil)
    }

    // MARK: Ends

    @Test func waitingRequestThatIsTakenBackLeavesTheLineWhole() {
        var budget = budget(asked: 0..<5)
        for number in [2, 4, 1] { #expect(budget.end(job(number), .unanswered, now: now) == []) }
        #expect(order(&budget, after: job(0)) == [3])
        #expect(budget.inFlight == 0 && budget.waitingCount == 0 && budget.jobs.isEmpty)
    }

    @Test func closedLaneHoldsNothing() {
        var budget = budget(lanes: [1, 1])
        for lane in 0...1 {
            for number in 0...2 { _ = budget.submit(job(number, lane: lane), .waitingClient, now: now) }
        }
        budget.closeLane(0)
        #expect(budget.inFlight == 1 && budget.waitingCount == 2)
        #expect(budget.end(job(0, lane: 0), .answered, now: now) == [])
        #expect(budget.end(job(0, lane: 1), .answered, now: now) == [.start(job(1, lane: 1))])
    }

    @Test func closedLaneIsUsedAgain() {
        var budget = budget(lanes: [1, 1])
        budget.closeLane(0)
        #expect(budget.addLane(connections: 1) == 0 && budget.lanes.count == 2)
        #expect(budget.submit(job(0, lane: 0), .waitingClient, now: now) == [.start(job(0, lane: 0))])
    }

    @Test func aHigherCeilingCountsAtOnce() {
        var budget = budget(lanes: [4], rate: 1, asked: 0..<3)
        #expect(budget.waitingCount == 2)
        budget.rate.limit(to: nil)
        #expect(budget.tick(now: now) == [.start(job(1)), .start(job(2))])
    }
}
