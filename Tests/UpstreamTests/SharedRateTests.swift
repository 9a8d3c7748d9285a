import EventLoop
import Testing

@testable import Upstream

/// A budget whose limit many nodes share, by scripts of events; the test is the authority.
@Suite struct SharedRateTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    /// A budget whose authority has answered once.
    private func budget(rate: Int? = nil, connections: Int = 8, _ answer: BudgetAnswer) -> BudgetState {
        var budget = BudgetState(rate: rate, maxWaiting: 100, maxWaitingInBackground: 50)
        _ = budget.addLane(connections: connections)
        budget.rate.share(phase: 0)
        budget.rate.poll(now: start)
        _ = tell(&budget, answer, now: start)
        return budget
    }

    /// Answers the question under way.
    private func tell(_ budget: inout BudgetState, _ answer: BudgetAnswer?, now: Instant) -> ActionList<
        BudgetState.Action
    > {
        guard let (number, _) = budget.rate.takeQuestion() else {
            Issue.record("nothing was asked")
            return []
        }
        budget.rate.answered(answer, to: number, now: now)
        return budget.tick(now: now)
    }

    private func submit(
        _ budget: inout BudgetState, _ number: Int, _ priority: UpstreamPriority = .waitingClient, now: Instant
    ) -> ActionList<BudgetState.Action> {
        budget.submit(job(number), priority, now: now)
    }

    @Test func answersAreToldWithTheNextPoll() {
        var budget = budget(BudgetAnswer())
        for number in 1...5 {
            #expect(submit(&budget, number, now: start) == [.start(job(number))])
            #expect(budget.end(job(number), .answered, now: at(100)) == [])
        }
        budget.rate.poll(now: at(100))
        #expect(budget.rate.takeQuestion() == nil, "asked again at once")
        budget.rate.poll(now: at(250))
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(answered: 5))
        // One at a time.
        budget.rate.poll(now: at(500))
        #expect(budget.rate.takeQuestion() == nil)
    }

    /// Idle nodes caused most of the engine's commands.
    @Test func aNodeThatSendsNothingAsksOnceASecond() {
        var budget = budget(BudgetAnswer())
        for time in stride(from: 250, to: 1_000, by: 250) {
            budget.rate.poll(now: at(time))
            #expect(budget.rate.takeQuestion() == nil, "\(time) ms")
        }
        budget.rate.poll(now: at(1_000))
        #expect(tell(&budget, BudgetAnswer(limit: 40), now: at(1_000)) == [] && budget.rate.current == 40)
        // The first request ends that.
        budget.rate.poll(now: at(1_250))
        #expect(budget.rate.takeQuestion() == nil)
        _ = submit(&budget, 1, now: at(1_300))
        _ = tell(&budget, BudgetAnswer(limit: 40, granted: 1), now: at(1_300))
        budget.rate.poll(now: at(1_550))
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(known: 40))
    }

    @Test func a429IsToldAtOnce() {
        var budget = budget(BudgetAnswer())
        _ = submit(&budget, 1, now: start)
        _ = submit(&budget, 2, now: at(20))
        _ = budget.end(job(1), .rateLimited(), now: at(100))
        _ = budget.end(job(2), .rateLimited(), now: at(100))
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(refused: 1, refusedAge: .milliseconds(100)))
        // The second goes when the first is answered.
        budget.rate.answered(BudgetAnswer(limit: 4), to: 2, now: at(110))
        let second = budget.rate.takeQuestion()?.question
        #expect(second == BudgetQuestion(refused: 1, refusedAge: .milliseconds(90), known: 4))
        #expect(budget.rate.current == 4)
    }

    @Test func underALimitEachStartTakesATokenWhenItIsDue() {
        var budget = budget(BudgetAnswer(limit: 4, nodes: 10))
        #expect(submit(&budget, 1, now: start) == [])
        #expect(submit(&budget, 2, now: start) == [])
        // The question was not handed over yet.
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(tokens: 2, known: 4))
        budget.rate.answered(BudgetAnswer(limit: 4, granted: 1, wait: .milliseconds(700)), to: 2, now: at(1))
        #expect(budget.tick(now: at(1)) == [] && budget.wakeAt == at(701))
        #expect(budget.tick(now: at(700)) == [])
        #expect(budget.tick(now: at(701)) == [.start(job(1))])
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(tokens: 1, known: 4))
        #expect(budget.wakeAt == at(701) + SharedRate.patience)
    }

    @Test func tokensAreSpentAtThePaceOfTheLimit() {
        var budget = budget(BudgetAnswer(limit: 100))
        for number in 1...4 { #expect(submit(&budget, number, now: start) == []) }
        #expect(tell(&budget, BudgetAnswer(limit: 100, granted: 3), now: at(1)) == [.start(job(1))])
        #expect(budget.wakeAt == at(11))
        #expect(budget.tick(now: at(11)) == [.start(job(2))])
        #expect(budget.tick(now: at(21)) == [.start(job(3))])
        #expect(budget.rate.takeQuestion()?.question.tokens == 1)
        // No more tokens than connections are asked for.
        var few = self.budget(connections: 2, BudgetAnswer(limit: 100))
        for number in 1...5 { _ = submit(&few, number, now: start) }
        #expect(few.rate.takeQuestion()?.question.tokens == 2)
        // Tokens that are not spent are lost.
        var late = self.budget(BudgetAnswer(limit: 100))
        _ = submit(&late, 1, now: start)
        _ = tell(&late, BudgetAnswer(limit: 100, granted: 2), now: start)
        #expect(submit(&late, 2, now: at(5_000)) == [])
        #expect(late.rate.takeQuestion()?.question.tokens == 1)
    }

    @Test func backgroundRequestsAskOnlyWhenNoClientWaits() {
        var budget = budget(BudgetAnswer(limit: 4))
        #expect(submit(&budget, 1, .refresh, now: start) == [])
        let denied = BudgetAnswer(limit: 4, wait: .milliseconds(300))
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(tokens: 1, isBackground: true, known: 4))
        budget.rate.answered(denied, to: 2, now: at(1))
        #expect(budget.tick(now: at(1)) == [] && budget.wakeAt == at(301))
        #expect(budget.rate.takeQuestion() == nil)
        // A client is asked for at once, and goes first.
        #expect(submit(&budget, 2, now: at(10)) == [])
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(tokens: 1, known: 4))
        budget.rate.answered(BudgetAnswer(limit: 4, granted: 1), to: 3, now: at(11))
        #expect(budget.tick(now: at(11)) == [.start(job(2))])
        #expect(budget.rate.takeQuestion() == nil)
        #expect(budget.tick(now: at(301)) == [])
        #expect(budget.rate.takeQuestion()?.question.isBackground == true)
    }

    @Test func theCeilingIsOneForAllNodes() {
        var budget = budget(rate: 5, BudgetAnswer(nodes: 2))
        #expect(budget.rate.current == 5 && budget.rate.currentHere == 2.5)
        _ = submit(&budget, 1, now: start)
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(tokens: 1, ceiling: 5))
        var away = self.budget(rate: 20, BudgetAnswer(nodes: 4))
        _ = submit(&away, 1, now: start)
        #expect(tell(&away, nil, now: at(50)) == [.start(job(1))])
        #expect(away.rate.current == 5)
        away.rate.limit(to: 40)
        #expect(away.rate.current == 10)
    }

    // MARK: The authority is away

    @Test func withoutTheAuthorityTheNodeGoesOnWithItsPartOfTheLimit() {
        var budget = budget(BudgetAnswer(limit: 4, nodes: 10))
        _ = submit(&budget, 1, now: start)
        #expect(tell(&budget, nil, now: at(50)) == [.start(job(1))])
        #expect(budget.rate.current == 0.8 * 4 / 10)
        #expect(submit(&budget, 2, now: at(60)) == [] && budget.rate.takeQuestion() == nil)
        #expect(budget.wakeAt == at(3175))
        // A poll finds it again, and the lessons in between are forgotten.
        budget.rate.poll(now: at(300))
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion(known: 4))
        budget.rate.answered(BudgetAnswer(limit: 6, nodes: 9), to: 3, now: at(301))
        #expect(budget.rate.current == 6)
        #expect(budget.tick(now: at(301)) == [])
        #expect(budget.rate.takeQuestion()?.question.tokens == 1)
    }

    @Test func aNodeAloneLearnsItsPartOfTheLimit() {
        var budget = budget(BudgetAnswer(limit: 0.5, nodes: 10))
        budget.rate.poll(now: at(1_000))
        _ = tell(&budget, nil, now: at(1_000))
        #expect(budget.rate.current == 0.8 * 0.5 / 10)
        for second in 1...200 { budget.rate.refused(startedAt: at(2_000 * second), now: at(2_000 * second)) }
        #expect(budget.rate.current == 0.01)
        var refused = self.budget(BudgetAnswer(nodes: 2))
        _ = submit(&refused, 1, now: start)
        _ = refused.end(job(1), .rateLimited(), now: at(100))
        _ = tell(&refused, nil, now: at(150))
        #expect(refused.rate.current == 2)
    }

    /// The next origin's budget began with the limit of the one before.
    @Test func theLimitOfOneOriginIsNotToldToTheNext() {
        var budget = budget(BudgetAnswer(limit: 4, nodes: 2))
        budget.rate.poll(now: at(1_000))
        let old = budget.rate.takeQuestion()
        #expect(old?.question.known == 4)
        budget.rate.forget()
        #expect(budget.rate.current == nil)
        budget.rate.answered(BudgetAnswer(limit: 3), to: old?.number ?? 0, now: at(1_010))
        #expect(budget.rate.current == nil, "the former one's answer is late")
        budget.rate.poll(now: at(1_250))
        #expect(budget.rate.takeQuestion()?.question == BudgetQuestion())
        var alone = BudgetState(rate: nil, maxWaiting: 100, maxWaitingInBackground: 50)
        alone.rate.refused(startedAt: start, now: at(100))
        #expect(alone.rate.current != nil)
        alone.rate.forget()
        #expect(alone.rate.current == nil)
    }

    @Test func anAuthorityThatNeverAnswersIsNotWaitedFor() {
        var budget = budget(BudgetAnswer(limit: 4, nodes: 2))
        _ = submit(&budget, 1, now: start)
        let asked = budget.rate.takeQuestion()
        #expect(budget.tick(now: at(4999)) == [])
        #expect(budget.tick(now: at(5000)) == [.start(job(1))])
        #expect(budget.rate.current == 0.8 * 2)
        // Its answer is too late.
        budget.rate.answered(BudgetAnswer(limit: 100, granted: 50), to: asked?.number ?? 0, now: at(5001))
        #expect(budget.rate.current == 0.8 * 2)
        var alone = BudgetState(rate: nil, maxWaiting: 100, maxWaitingInBackground: 50)
        _ = alone.addLane(connections: 8)
        alone.rate.share(phase: 0)
        _ = submit(&alone, 1, now: start)
        _ = alone.end(job(1), .rateLimited(), now: at(100))
        #expect(alone.rate.current == 4 && alone.rate.takeQuestion() == nil)
    }

    /// A personal request that had waited for an engine in vain waited for its token as well.
    @Test func aLostEngineIsNotWaitedForTwice() {
        var budget = budget(BudgetAnswer(limit: 100, nodes: 2))
        budget.rate.lost(now: at(10))
        #expect(submit(&budget, 1, now: at(10)) == [.start(job(1))] && budget.rate.takeQuestion() == nil)
        // It is found again as ever.
        budget.rate.poll(now: at(250))
        _ = tell(&budget, BudgetAnswer(limit: 100), now: at(250))
        #expect(submit(&budget, 2, now: at(260)) == [])
        #expect(budget.rate.takeQuestion()?.question.tokens == 1)
        // Requests that wait by then do not wait for it either.
        budget.rate.lost(now: at(270))
        #expect(budget.tick(now: at(300)) == [.start(job(2))])
    }
}
