import EventLoop
import Testing

@testable import Upstream

/// Rates that are learnt of one client's own token; they say nothing of others.
@Suite struct AccountLimitsTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    private func budget(rate: Int? = nil) -> BudgetState {
        var budget = BudgetState(rate: rate, maxWaiting: 100, maxWaitingInBackground: 50)
        _ = budget.addLane(connections: 100)
        return budget
    }

    /// A 429 to one client's token held back the requests of all.
    @Test func refusalOfOneTokenHoldsBackThatTokenAlone() {
        var budget = budget()
        _ = budget.submit(job(0), .waitingClient, account: 7, now: now)
        _ = budget.end(job(0), .rateLimited(), now: now)
        #expect(budget.rate.current == nil)
        #expect(budget.submit(job(1), .waitingClient, account: 7, now: now) == [.start(job(1))])
        #expect(budget.submit(job(2), .waitingClient, account: 7, now: now) == [], "four a second at first")
        #expect(budget.submit(job(3), .waitingClient, account: 8, now: now) == [.start(job(3))])
        #expect(budget.submit(job(4), .waitingClient, now: now) == [.start(job(4))])
        let wakeAt = budget.wakeAt
        #expect(wakeAt != nil)
        if let wakeAt { #expect(budget.tick(now: wakeAt) == [.start(job(2))]) }
    }

    /// A request that waits for the common rate goes on under the limit that its token gets
    /// meanwhile.
    @Test func waitingRequestsComeUnderTheLimitOfTheirToken() {
        var budget = budget(rate: 20)
        for number in 0..<4 { _ = budget.submit(job(number), .waitingClient, account: 7, now: now) }
        _ = budget.submit(job(10), .waitingClient, account: 8, now: now)
        #expect(budget.waitingCount > 0)
        _ = budget.end(job(0), .rateLimited(), now: now)
        var (moment, started) = (now, [Int]())
        for _ in 0..<20 where budget.wakeAt != nil {
            moment = budget.wakeAt ?? moment
            started += budget.tick(now: moment).map { $0.job.number }
        }
        #expect(Set(started).isSuperset(of: [3, 10]) && budget.waitingCount == 0)
        #expect(moment - now > .milliseconds(200), "four a second")
    }

    /// In signed mode a client's own field could make the origin answer 429, and the proxy slowed
    /// down for everyone.
    @Test func refusalsOfATokenCountForAllOnlySoonAfterASharedOne() {
        var shared = budget()
        _ = shared.submit(job(0), .waitingClient, now: now)
        _ = shared.end(job(0), .rateLimited(), now: now)
        let learnt = shared.rate.current
        #expect(learnt != nil)
        let later = now + .milliseconds(1500)
        for number in 1...3 {
            _ = shared.submit(job(number), .waitingClient, account: 5, now: later)
            _ = shared.end(job(number), .rateLimited(), now: later)
        }
        let lowered = shared.rate.current
        #expect(lowered ?? 0 < learnt ?? 0)
        _ = shared.submit(job(4), .waitingClient, account: 6, now: now + .seconds(4))
        _ = shared.end(job(4), .rateLimited(), now: now + .seconds(4))
        #expect(shared.rate.current == lowered)
    }

    /// Soon after the former upstream's 429, one to a client's own token held back everyone.
    @Test func aRefusalByTheFormerOriginCountsForNobodyUnderTheNewOne() {
        var budget = budget()
        _ = budget.submit(job(0), .waitingClient, now: now)
        _ = budget.end(job(0), .rateLimited(), now: now)
        budget.forgetOrigin()
        _ = budget.submit(job(1), .waitingClient, account: 5, now: now)
        _ = budget.end(job(1), .rateLimited(), now: now)
        #expect(budget.rate.current == nil)
    }

    @Test func commonCeilingHoldsForAllTokensTogether() {
        var budget = budget(rate: 2)
        #expect(budget.submit(job(1), .waitingClient, account: 7, now: now) == [.start(job(1))])
        #expect(budget.submit(job(2), .waitingClient, account: 8, now: now) == [])
        #expect(budget.wakeAt.map { $0 - now > .milliseconds(400) } == true)
    }

    @Test func tokensThatAreRememberedAreBounded() {
        var limits = AccountLimits()
        for account in 1...UInt64(AccountLimits.most + 10) {
            let moment = now + .milliseconds(Int64(account))
            limits.refused(account, startedAt: moment, now: moment) { $0 == 1 }
        }
        #expect(limits.limit(of: 1) == 1, "what is waited for is not forgotten")
        #expect((2...11).allSatisfy { limits.limit(of: $0) == 0 }, "those that were used longest ago are")
        #expect((12...UInt64(AccountLimits.most + 10)).allSatisfy { limits.limit(of: $0) != 0 })
    }
}
