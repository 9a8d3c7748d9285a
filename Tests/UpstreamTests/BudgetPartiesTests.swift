import EventLoop
import Testing

@testable import Upstream

/// The choice of the next request, and of the one that gives way, where several parties want
/// something of the origin.
@Suite struct BudgetPartiesTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private let a = UpstreamParty.network(1)
    private let b = UpstreamParty.network(2)
    private let c = UpstreamParty.client("c")

    /// A budget of which each lane's only connection is taken by job 0.
    private func busy(lanes: Int = 1, maxWaiting: Int = 100) -> BudgetState {
        var budget = BudgetState(rate: nil, maxWaiting: maxWaiting, maxWaitingInBackground: 50)
        for lane in 0..<lanes {
            _ = budget.addLane(connections: 1)
            _ = budget.submit(job(0, lane: lane), .waitingClient, now: now)
        }
        return budget
    }

    /// Ends each job that starts at once, and says in which order they did.
    private func order(_ budget: inout BudgetState, lane: Int = 0) -> [Int] {
        var order: [Int] = []
        var running = job(0, lane: lane)
        while case .start(let next)? = budget.end(running, .answered, now: now).first {
            order.append(next.number)
            running = next
        }
        return order
    }

    /// One client with 70 misses a second turned every other client's miss into a 503.
    @Test func partiesWaitInTurnsHoweverMuchTheyAskFor() {
        var budget = busy()
        for number in 1...5 { _ = budget.submit(job(number), .waitingClient, of: a, now: now) }
        for number in 11...12 { _ = budget.submit(job(number), .waitingClient, of: b, now: now) }
        _ = budget.submit(job(21), .waitingClient, of: c, now: now)
        #expect(order(&budget) == [1, 11, 21, 2, 12, 3, 4, 5])
        // The misses of one would have kept the revalidations of another waiting for ever.
        var other = busy()
        for number in 1...4 { _ = other.submit(job(number), .waitingClient, of: a, now: now) }
        _ = other.submit(job(11), .revalidation, of: b, now: now)
        #expect(order(&other) == [1, 11, 2, 3, 4])
    }

    @Test func partyThatWasServedGoesAfterThoseThatWait() {
        var budget = busy()
        for number in 1...3 { _ = budget.submit(job(number), .waitingClient, of: a, now: now) }
        _ = budget.submit(job(11), .waitingClient, of: b, now: now)
        #expect(budget.end(job(0), .answered, now: now) == [.start(job(1))])
        #expect(budget.end(job(1), .answered, now: now) == [.start(job(11))])
        _ = budget.submit(job(12), .waitingClient, of: b, now: now)
        #expect(budget.end(job(11), .answered, now: now) == [.start(job(2))])
        #expect(budget.end(job(2), .answered, now: now) == [.start(job(12))])
        // A cancelled request leaves its turn to its party.
        var other = busy()
        for number in 1...2 { _ = other.submit(job(number), .waitingClient, of: a, now: now) }
        _ = other.submit(job(11), .waitingClient, of: b, now: now)
        #expect(other.end(job(1), .unanswered, now: now) == [])
        #expect(order(&other) == [2, 11])
    }

    /// A party that is served in one lane would have lost its place in another that was full.
    @Test func turnInAFullLaneIsKept() {
        var budget = busy(lanes: 2)
        for number in 1...3 { _ = budget.submit(job(number, lane: 0), .waitingClient, of: a, now: now) }
        _ = budget.submit(job(4, lane: 1), .waitingClient, of: a, now: now)
        for number in 11...13 { _ = budget.submit(job(number, lane: 1), .waitingClient, of: b, now: now) }
        #expect(budget.end(job(0, lane: 0), .answered, now: now) == [.start(job(1, lane: 0))])
        #expect(budget.end(job(1, lane: 0), .answered, now: now) == [.start(job(2, lane: 0))])
        #expect(budget.end(job(0, lane: 1), .answered, now: now) == [.start(job(4, lane: 1))])
    }

    @Test func backgroundIsOnePartyAfterAllOthers() {
        var budget = busy()
        _ = budget.submit(job(1), .refresh, of: a, now: now)
        _ = budget.submit(job(2), .refresh, of: b, now: now)
        for number in 11...13 { _ = budget.submit(job(number), .revalidation, of: c, now: now) }
        #expect(order(&budget) == [11, 12, 13, 1, 2])
        var other = busy()
        for number in 1...3 { _ = other.submit(job(number), .waitingClient, of: a, now: now) }
        _ = other.submit(job(4), .refresh, now: now)
        #expect(other.promote(job(4), to: .revalidation, of: b, now: now) == [])
        #expect(order(&other) == [1, 4, 2, 3])
    }

    // MARK: Requests that give way

    @Test func backgroundAndThenTheLongestLineGiveWay() {
        var budget = busy(maxWaiting: 8)
        for number in 1...8 { #expect(budget.submit(job(number), .waitingClient, of: a, now: now).isEmpty) }
        #expect(budget.submit(job(11), .waitingClient, of: b, now: now) == [.refuse(job(8), retryAfter: 8)])
        #expect(budget.submit(job(12), .waitingClient, of: b, now: now) == [.refuse(job(7), retryAfter: 8)])
        #expect(budget.waitingCount == 8)
        #expect(order(&budget) == [1, 11, 2, 12, 3, 4, 5, 6])
        var other = busy(maxWaiting: 4)
        for number in 1...3 { _ = other.submit(job(number), .waitingClient, of: a, now: now) }
        _ = other.submit(job(4), .refresh, now: now)
        #expect(other.submit(job(11), .waitingClient, of: b, now: now) == [.refuse(job(4), retryAfter: 4)])
    }

    @Test func partyHasAQuarterOfThePlacesWhileOthersWait() {
        var budget = busy(maxWaiting: 20)
        _ = budget.submit(job(11), .waitingClient, of: b, now: now)
        for number in 1...5 { #expect(budget.submit(job(number), .waitingClient, of: a, now: now).isEmpty) }
        #expect(budget.submit(job(6), .waitingClient, of: a, now: now) == [.refuse(job(6), retryAfter: 6)])
        // A more urgent one takes the place of its own party's.
        var other = busy(maxWaiting: 20)
        _ = other.submit(job(11), .waitingClient, of: b, now: now)
        for number in 1...5 { _ = other.submit(job(number), .revalidation, of: a, now: now) }
        #expect(other.submit(job(6), .waitingClient, of: a, now: now) == [.refuse(job(5), retryAfter: 6)])
    }

    @Test func aSharedRequestWaitsInTheShorterLine() {
        var budget = busy()
        for number in 1...5 { _ = budget.submit(job(number), .waitingClient, of: a, now: now) }
        #expect(budget.promote(job(5), to: .waitingClient, of: b, now: now) == [])
        #expect(order(&budget) == [1, 5, 2, 3, 4])
        var other = busy()
        _ = other.submit(job(1), .waitingClient, of: a, now: now)
        for number in 11...13 { _ = other.submit(job(number), .waitingClient, of: b, now: now) }
        #expect(other.promote(job(1), to: .waitingClient, of: b, now: now) == [])
        #expect(order(&other) == [1, 11, 12, 13], "the line of the other is longer")
    }
}
