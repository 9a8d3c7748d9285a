import EventLoop
import Testing

@testable import Upstream

/// The connections of one loop, and the parties that hold them: `Lane`, and the budget with one.
@Suite struct LaneTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private let hog = UpstreamParty.network(1)
    private let other = UpstreamParty.network(2)
    private let third = UpstreamParty.client("c")

    /// How many requests of a party are sent at once.
    private func fill(_ lane: inout Lane, _ party: UpstreamParty, _ priority: UpstreamPriority = .waitingClient) -> Int
    {
        var count = 0
        while lane.mayStart(party, inBackground: priority.isBackground) {
            lane.enter(priority, of: party)
            count += 1
        }
        return count
    }

    @Test(arguments: [
        (1, 1, 0, 0), (2, 1, 1, 0), (3, 2, 1, 0), (8, 7, 1, 0), (9, 7, 1, 1), (16, 14, 1, 1), (64, 56, 7, 1),
    ]) func aPartyHoldsSevenTimesWhatIsFree(connections: Int, most: Int, mostOfOther: Int, mostOfThird: Int) {
        var lane = Lane(connections: connections)
        #expect(fill(&lane, hog) == most && fill(&lane, other) == mostOfOther && fill(&lane, third) == mostOfThird)
        // The others get first what one gives back.
        lane.leave(.waitingClient, of: hog)
        #expect(lane.hasShare(hog) == (most == 1) && lane.hasRoom(inBackground: false))
    }

    @Test func workInTheBackgroundUsesTheShareOfItsCause() {
        var lane = Lane(connections: 16)
        #expect(fill(&lane, hog, .refresh) == 8 && fill(&lane, hog) == 6)
        #expect(!lane.mayStart(other, inBackground: true), "none of it takes the last eighth")
        #expect(fill(&lane, other) == 1 && fill(&lane, third) == 1)
        var small = Lane(connections: 2)
        #expect(fill(&small, hog, .refresh) == 1 && fill(&small, hog) == 0 && fill(&small, other) == 1)
    }

    // MARK: The budget

    private func budget(connections: Int, heldBy count: Int) -> BudgetState {
        var budget = BudgetState(rate: nil, maxWaiting: 100, maxWaitingInBackground: 50)
        _ = budget.addLane(connections: connections)
        for number in 0..<count { _ = budget.submit(job(number), .waitingClient, of: hog, now: now) }
        return budget
    }

    /// An address with as many slow searches as there are connections made each miss of all others
    /// wait until it was refused.
    @Test func requestsBeyondTheShareWaitAlone() {
        var budget = budget(connections: 16, heldBy: 20)
        #expect(budget.inFlight == 14 && budget.waitingCount == 6 && budget.wakeAt == nil)
        #expect(budget.lacksShare(job(19)) && !budget.lacksShare(job(0)) && budget.isCrowded(0))
        #expect(budget.submit(job(50), .waitingClient, of: other, now: now) == [.start(job(50))])
        #expect(budget.submit(job(51), .refresh, of: other, causedBy: other, now: now) == [])
        #expect(budget.submit(job(52), .waitingClient, of: third, now: now) == [.start(job(52))])
        // As many wait for their share as there are, and go as its connections come back.
        #expect(budget.end(job(0), .answered, now: now) == [])
        #expect(budget.end(job(50), .answered, now: now) == [])
        #expect(budget.end(job(52), .answered, now: now) == [.start(job(14))])
        #expect(budget.end(job(1), .answered, now: now) == [.start(job(15))])
    }

    /// A client waited in the line of another whose request it had joined.
    @Test func aSharedRequestGoesAsThatOfThePartyWithAShare() {
        var budget = budget(connections: 16, heldBy: 15)
        #expect(budget.promote(job(14), to: .waitingClient, of: other, now: now) == [.start(job(14))])
        // It uses the share of the party for which it goes.
        #expect(budget.submit(job(50), .waitingClient, of: other, now: now) == [] && budget.lacksShare(job(50)))
        var refresh = self.budget(connections: 16, heldBy: 14)
        #expect(refresh.submit(job(60), .refresh, causedBy: hog, now: now) == [])
        #expect(refresh.promote(job(60), to: .revalidation, of: other, now: now) == [.start(job(60))])
    }

    @Test func ofTheBackgroundWaitsWhatWasCausedByAPartyWithoutAShare() {
        var budget = BudgetState(rate: nil, maxWaiting: 100, maxWaitingInBackground: 50)
        _ = budget.addLane(connections: 32)
        for number in 0..<20 { _ = budget.submit(job(number), .waitingClient, of: hog, now: now) }
        for number in 20..<29 { _ = budget.submit(job(number), .refresh, causedBy: hog, now: now) }
        #expect(budget.inFlight == 28 && budget.waitingCount == 1)
        #expect(budget.end(job(0), .answered, now: now) == [.start(job(28))])
        _ = budget.submit(job(30), .refresh, causedBy: hog, now: now)
        _ = budget.submit(job(31), .refresh, causedBy: other, now: now)
        // The last eighth is free: that of the other goes as soon as one more is, before the first.
        #expect(budget.end(job(1), .answered, now: now) == [.start(job(30))])
        #expect(budget.end(job(2), .answered, now: now) == [.start(job(31))])
    }
}
