import Freshness
import Testing

@testable import Proxy
@testable import Upstream

/// The course of a request from look-up to answer, event by event, without sockets.
@Suite struct ExchangeStateTests {
    private typealias Script = ExchangeScript

    @Test func aLeaderAsksUnlessAnAnswerCameMeanwhile() {
        var script = Script()
        #expect(script.play(.began(meanwhile: nil)) == "join")
        #expect(script.joined() == "cancel timer, send waitingClient")
        #expect(script.answered(200) == "store 200")
        #expect(script.stored(of: 200) == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        #expect(!script.isCollapsed)
        script = Script.begun()
        let step = script.play(.joined(.leader(meanwhile: Script.stored())))
        #expect(step == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        #expect(script.isCollapsed)
        script = Script.begun()
        #expect(script.play(.joined(.alone)) == "cancel timer, send waitingClient", "a hit for miss")
        script = Script.begun()
        #expect(script.play(.joined(.full(.queueFull))) == "cancel timer, refuse 503 queueFull")
        script = Script.begun()
        #expect(script.play(.joined(.full(.shareUsed))) == "cancel timer, refuse 503 shareUsed")
        script = Script { $0.isCollapsible = false }
        #expect(script.play(.began(meanwhile: nil)) == "cancel timer, begin, send waitingClient")
    }

    @Test func refreshesGoStraightToTheOriginWithoutHurry() {
        var refresh = Script { ($0.audience, $0.hasStored, $0.isRevalidatable) = (.refresh, true, true) }
        #expect(refresh.play(.began(meanwhile: nil)) == "cancel timer, send refresh validating")
        #expect(refresh.play(.promoted) == "promote to revalidation")
        #expect(refresh.answered(200) == "store 200")
        #expect(refresh.stored(of: 200) == "finish stored 200 of 200")
        #expect(refresh.play(.promoted) == "")
        // A hit that found a stale answer asked again for what another's refresh had just brought.
        var late = Script { ($0.audience, $0.hasStored) = (.refresh, true) }
        #expect(late.play(.began(meanwhile: Script.stored())) == "finish stored 200 of 200")
    }

    @Test func aWaiterGetsWhatTheLeaderBringsOrSomethingStale() {
        for (outcome, words) in [
            (FlightOutcome.stored(Script.stored(), originStatus: 200), "answer 200 of 200"),
            (.unstored(Script.response(503), .serverError), "pass 503 serverError"),
            (.failed(Script.failure), "refuse 502 upstreamClosed"), (.released, "begin, send waitingClient"),
        ] {
            var script = Script.waiting()
            #expect(script.isCollapsed)
            #expect(script.flightFinished(outcome) == "cancel timer, " + words)
        }
        for outcome in [FlightOutcome.unstored(Script.response(429), .rateLimited), .failed(Script.failure)] {
            var script = Script.waiting { $0.hasStandIn = true }
            script.standIn = Script.stored()
            #expect(script.flightFinished(outcome).contains("stale for"))
        }
    }

    /// Each of a herd of ten kinds asked for itself once the first had its answer.
    @Test func aWaiterWhoseFieldsChooseAnotherAnswerJoinsThoseOfItsKind() {
        var script = Script.waiting()
        let another = ExchangeState.Event.flightFinished(.stored(Script.stored(), originStatus: 200), isOurs: false)
        #expect(script.play(another) == "join")
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        #expect(script.play(another) == "cancel timer, begin, send waitingClient", "once")
        #expect(!script.isCollapsed)
    }

    @Test func aWaiterTakesOverFromALeaderThatIsLate() {
        var script = Script.begun()
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        script.wait(.seconds(5))
        #expect(script.patienceEnded() == "take over")
        #expect(script.play(.tookOver(meanwhile: nil)) == "cancel timer, send waitingClient")
        #expect(!script.isCollapsed)
        // The late leader is back, and its answer serves this client too.
        #expect(script.flightFinished(.stored(Script.stored(), originStatus: 200)) == "cancel timer, answer 200 of 200")
        #expect(script.isCollapsed)
        #expect(script.answered(200).hasPrefix("store"))
        // It may find what came meanwhile.
        var other = Script.waiting()
        other.wait(.seconds(5))
        _ = other.play(.patienceEnded(standIn: nil))
        let step = other.play(.tookOver(meanwhile: Script.stored()))
        #expect(step == "cancel timer, finish stored 200 of 200, answer 200 of 200")
    }

    @Test func aWaiterThatMayNotTakeOverGivesUpAfterFifteenSeconds() {
        var script = Script.waiting()
        script.wait(.seconds(5))
        script.patienceEnded()
        #expect(script.play(.mayNotTakeOver) == "wake after 6000 ms")
        script.wait(.milliseconds(9_500))
        script.patienceEnded()
        #expect(script.play(.mayNotTakeOver) == "wake after 15000 ms")
        script.wait(.milliseconds(500))
        script.patienceEnded()
        #expect(script.play(.mayNotTakeOver) == "cancel timer, refuse 504 waitedTooLong")
    }

    @Test func aCompositionReplacesAFailureAndNothingElse() {
        var script = Script.waiting()
        script.composed = Script.stored()
        script.wait(.seconds(15))
        script.patienceEnded()
        #expect(script.play(.mayNotTakeOver) == "cancel timer, answer 200 of none instead of waitedTooLong")
        var leader = Script.leading()
        leader.composed = Script.stored()
        let found = leader.failed()
        #expect(found == "cancel timer, finish failed upstreamClosed, answer 200 of none instead of upstreamClosed")
        script = stale()
        script.composed = Script.stored()
        script.joined()
        #expect(script.failed() == "cancel timer, finish failed upstreamClosed, stale for upstreamClosed of none")
        var other = Script.leading()
        other.composed = Script.stored()
        other.answered(503)
        #expect(other.unstored(503, .serverError) == "cancel timer, finish released, pass 503 serverError")
    }

    @Test func aStaleAnswerIsServedAfterTwoSeconds() {
        var script = stale()
        #expect(script.joined() == "wake after 2000 ms, send revalidation validating once")
        script.wait(.seconds(2))
        #expect(script.patienceEnded() == "cancel timer, stale for waitedTooLong of none")
        // A late answer is stored for the next request.
        #expect(script.answered(200) == "store 200")
        #expect(script.stored(of: 200) == "finish stored 200 of 200")
        // A waiter waits as long.
        var waiter = stale()
        #expect(waiter.play(.joined(.waiter)) == "wake after 2000 ms")
        waiter.wait(.seconds(2))
        #expect(waiter.patienceEnded() == "cancel timer, stale for waitedTooLong of none")
        #expect(waiter.flightFinished(.released) == "")
    }

    @Test func whatIsStaleAndNotPurgedReplacesAServerError() {
        var script = stale()
        script.joined()
        script.standIn = nil
        script.wait(.seconds(2))
        #expect(script.patienceEnded() == "")
        #expect(script.failed() == "cancel timer, finish failed upstreamClosed, refuse 502 upstreamClosed")
        for (status, reason, words) in [
            (503, Reason.serverError, "stale for upstreamError of 503"), (404, .status, "pass 404 status"),
        ] {
            var script = stale()
            script.joined()
            script.answered(status)
            #expect(script.unstored(status, reason) == "cancel timer, finish released, " + words)
        }
    }

    @Test func purgedAnswersAndImpersonalErrorsServeTheWaiters() {
        var script = Script.leading()
        script.answered(200)
        #expect(script.unstored(200, .outdated) == "cancel timer, finish unstored 200 outdated, pass 200 outdated")
        // The clients' own fields may have chosen it, where they go along.
        for (carriesFields, flight) in [(true, "released"), (false, "unstored 200 outdated")] {
            script = Script.leading { $0.carriesFields = carriesFields }
            script.answered(200)
            #expect(
                script.play(.unstored(Script.response(200, "Vary: Accept\r\n"), .outdated))
                    == "cancel timer, finish \(flight), pass 200 outdated")
        }
        var unusable = Script.leading()
        unusable.answered(200)
        #expect(
            unusable.play(.stored(Script.stored(), originStatus: 200, isReusable: false))
                == "cancel timer, finish released, answer 200 of 200")
        script = Script.leading { $0.hasImpersonalErrors = true }
        script.answered(503)
        let end = script.unstored(503, .serverError)
        #expect(end == "cancel timer, finish unstored 503 serverError, pass 503 serverError")
    }

    @Test func aConfirmationFreshensUnlessItIsContradicted() {
        var script = stale()
        script.joined()
        #expect(script.answered(304) == "freshen by 304")
        #expect(script.stored(of: 304) == "cancel timer, finish stored 200 of 304, answer 200 of 304")
        var wrong = stale()
        wrong.joined()
        wrong.answered(304)
        #expect(wrong.play(.contradicted) == "send revalidation once")
        // Nothing was asked that a 304 could answer.
        let step = wrong.answered(304)
        #expect(step == "cancel timer, finish failed upstreamMalformed, stale for upstreamMalformed of 304")
        // For a client that has been served too.
        var served = stale()
        served.joined()
        served.wait(.seconds(2))
        served.patienceEnded()
        served.standIn = nil
        served.answered(304)
        #expect(served.play(.contradicted) == "send revalidation once")
    }

    @Test func aRefusedTokenAndUselessGzipAreAskedForAgain() {
        var script = Script.leading { $0.hasOwnToken = true }
        #expect(script.answered(401) == "renew token")
        #expect(script.play(.tokenRenewed(true)) == "send waitingClient")
        #expect(script.answered(401) == "store 401")
        #expect(script.unstored(401, .unauthorized) == "cancel timer, finish released, pass 401 upstreamRefused")
        var other = Script.leading { $0.hasOwnToken = true }
        other.answered(401)
        #expect(other.play(.tokenRenewed(false)) == "cancel timer, finish released, pass 401 upstreamRefused")
        script = Script.begun { $0.acceptsGzip = true }
        #expect(script.joined() == "cancel timer, send waitingClient gzip")
        #expect(script.play(.answered(Script.response(200), .damaged)) == "send waitingClient inflating")
        let step = script.play(.answered(Script.response(200), .damaged))
        #expect(step == "cancel timer, finish failed upstreamMalformed, refuse 502 upstreamMalformed")
        var large = Script.leading { $0.acceptsGzip = true }
        #expect(large.play(.answered(Script.response(200), .tooLarge)) == "send waitingClient")
        #expect(large.answered(200) == "store 200")
    }

    @Test func interimAnswersGoToAClientThatStillWaits() {
        var script = Script.leading()
        #expect(script.play(.interim(Self.earlyHints)) == "hint 103")
        script = Script.begun { $0.audience = .refresh }
        #expect(script.play(.interim(Self.earlyHints)) == "")
    }

    // MARK: Helpers

    private static let earlyHints = UpstreamInterim(status: 103, fields: Script.response(200).fields)

    /// One that has something stale with a validator, about to join.
    private func stale() -> ExchangeScript {
        var script = Script.begun { ($0.hasStored, $0.isRevalidatable, $0.hasStandIn) = (true, true, true) }
        script.standIn = Script.stored()
        return script
    }
}
