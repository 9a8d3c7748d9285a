import Cache
import Testing

@testable import Proxy
@testable import Upstream

/// What happens to a request between look-up and answer, event by event, without sockets.
@Suite struct ExchangeStateTests {
    private typealias Script = ExchangeScript

    // MARK: Who asks

    @Test func aLeaderAsksStoresAndAnswers() {
        var script = Script()
        #expect(script.play(.began(meanwhile: nil)) == "join")
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "cancel timer, send waitingClient")
        #expect(script.play(.answered(Script.response(200), .readable)) == "store 200")
        #expect(
            script.play(.stored(Script.stored(), originStatus: 200, isReusable: true))
                == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        #expect(!script.isCollapsed)
    }

    @Test func aLeaderFindsWhatCameSinceItLookedAndAsksNothing() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        #expect(
            script.play(.joined(.leader(meanwhile: Script.stored())))
                == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        #expect(script.isCollapsed)
    }

    @Test func afterAHitForMissARequestAsksForItselfUnderAFlightOfItsOwn() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        #expect(script.play(.joined(.alone)) == "cancel timer, send waitingClient")
    }

    @Test func whatOthersMayNotWaitForJoinsNoFlight() {
        var script = Script { $0.isCollapsible = false }
        #expect(script.play(.began(meanwhile: nil)) == "cancel timer, begin, send waitingClient")
    }

    @Test func tooManyWaitForOneKey() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        #expect(script.play(.joined(.full)) == "cancel timer, refuse 503 queueFull")
    }

    @Test func refreshesGoStraightToTheOriginWithoutHurry() {
        var refresh = Script { ($0.audience, $0.hasStored, $0.isRevalidatable) = (.refresh, true, true) }
        #expect(refresh.play(.began(meanwhile: nil)) == "cancel timer, send refresh validating")
        #expect(refresh.play(.promoted) == "promote to revalidation")
        #expect(refresh.play(.answered(Script.response(200), .readable)) == "store 200")
        #expect(
            refresh.play(.stored(Script.stored(), originStatus: 200, isReusable: true)) == "finish stored 200 of 200")
        #expect(refresh.play(.promoted) == "")
    }

    /// A hit that found a stale answer asked again for what another's refresh had just brought.
    @Test func aRefreshThatFindsWhatCameSinceItWasWantedAsksNothing() {
        var script = Script { ($0.audience, $0.hasStored) = (.refresh, true) }
        #expect(script.play(.began(meanwhile: Script.stored())) == "finish stored 200 of 200")
    }

    // MARK: Waiting

    @Test func aWaiterGetsWhatTheLeaderBrings() {
        var script = waiter()
        #expect(script.isCollapsed)
        #expect(
            script.play(.flightFinished(.stored(Script.stored(), originStatus: 200), isOurs: true))
                == "cancel timer, answer 200 of 200")
    }

    /// Each of a herd of ten kinds asked for itself once the first had its answer.
    @Test func aWaiterWhoseFieldsChooseAnotherAnswerJoinsThoseOfItsKind() {
        var script = waiter()
        let another = ExchangeState.Event.flightFinished(.stored(Script.stored(), originStatus: 200), isOurs: false)
        #expect(script.play(another) == "join")
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        #expect(script.play(another) == "cancel timer, begin, send waitingClient", "once")
        #expect(!script.isCollapsed)
    }

    @Test func aWaiterAsksForItselfWhereTheAnswerWasTheLeadersAlone() {
        var script = waiter()
        #expect(
            script.play(.flightFinished(.released, isOurs: true)) == "cancel timer, begin, send waitingClient")
    }

    @Test func waitersGetErrorsThatAreEveryones() {
        var script = waiter()
        #expect(
            script.play(.flightFinished(.unstored(Script.response(503), .serverError), isOurs: true))
                == "cancel timer, pass 503 serverError")
        script = waiter()
        #expect(
            script.play(.flightFinished(.failed(Script.failure), isOurs: true))
                == "cancel timer, refuse 502 upstreamClosed")
    }

    @Test func waitersWithSomethingStaleGetThatInPlaceOfAnError() {
        for outcome in [FlightOutcome.unstored(Script.response(429), .rateLimited), .failed(Script.failure)] {
            var script = waiter { $0.hasStandIn = true }
            script.standIn = Script.stored()
            #expect(script.play(.flightFinished(outcome, isOurs: true)).contains("stale for"))
        }
    }

    @Test func aWaiterTakesOverFromALeaderThatIsLate() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        script.wait(.seconds(5))
        #expect(script.play(.patienceEnded(standIn: script.standIn)) == "take over")
        #expect(script.play(.tookOver(meanwhile: nil)) == "cancel timer, send waitingClient")
        #expect(!script.isCollapsed)
        // The late leader is back, and its answer serves this client too.
        #expect(
            script.play(.flightFinished(.stored(Script.stored(), originStatus: 200), isOurs: true))
                == "cancel timer, answer 200 of 200")
        #expect(script.isCollapsed)
        #expect(script.play(.answered(Script.response(200), .readable)).hasPrefix("store"))
    }

    @Test func aWaiterThatTakesOverFindsWhatCameMeanwhile() {
        var script = waiter()
        script.wait(.seconds(5))
        _ = script.play(.patienceEnded(standIn: nil))
        #expect(
            script.play(.tookOver(meanwhile: Script.stored()))
                == "cancel timer, finish stored 200 of 200, answer 200 of 200")
    }

    @Test func aWaiterThatMayNotTakeOverLooksAgainEachSecondAndGivesUpAfterFifteen() {
        var script = waiter()
        script.wait(.seconds(5))
        _ = script.play(.patienceEnded(standIn: script.standIn))
        #expect(script.play(.mayNotTakeOver) == "wake after 6000 ms")
        script.wait(.milliseconds(9_500))
        _ = script.play(.patienceEnded(standIn: script.standIn))
        #expect(script.play(.mayNotTakeOver) == "wake after 15000 ms")
        script.wait(.milliseconds(500))
        _ = script.play(.patienceEnded(standIn: script.standIn))
        #expect(script.play(.mayNotTakeOver) == "cancel timer, refuse 504 waitedTooLong")
    }

    @Test func aWaiterThatGivesUpGetsWhatCanBeComposedByThen() {
        var script = waiter()
        script.composed = Script.stored()
        script.wait(.seconds(15))
        _ = script.play(.patienceEnded(standIn: script.standIn))
        #expect(
            script.play(.mayNotTakeOver) == "cancel timer, answer 200 of none instead of waitedTooLong")
    }

    @Test func aLeaderWhoseOriginFailsGetsWhatCanBeComposedByThen() {
        var script = Script()
        script.composed = Script.stored()
        script.lead()
        #expect(
            script.play(.failed(Script.failure))
                == "cancel timer, finish failed upstreamClosed, answer 200 of none instead of upstreamClosed")
    }

    // MARK: The stand-in

    @Test func aStandInGoesBeforeAComposition() {
        var script = stale()
        script.composed = Script.stored()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.failed(Script.failure))
                == "cancel timer, finish failed upstreamClosed, stale for upstreamClosed of none")
    }

    @Test func anErrorThatCanBePassedOnIsNotComposedOver() {
        var script = Script()
        script.composed = Script.stored()
        script.lead()
        _ = script.play(.answered(Script.response(503), .readable))
        #expect(
            script.play(.unstored(Script.response(503), .serverError))
                == "cancel timer, finish released, pass 503 serverError")
    }

    @Test func aSlowOriginIsWaitedForTwoSecondsWhereSomethingStaleIsThere() {
        var script = stale()
        #expect(
            script.play(.joined(.leader(meanwhile: nil))) == "wake after 2000 ms, send revalidation validating once")
        script.wait(.seconds(2))
        #expect(script.play(.patienceEnded(standIn: script.standIn)) == "cancel timer, stale for waitedTooLong of none")
        // What comes late is stored for the next one.
        #expect(script.play(.answered(Script.response(200), .readable)) == "store 200")
        #expect(
            script.play(.stored(Script.stored(), originStatus: 200, isReusable: true))
                == "finish stored 200 of 200")
    }

    @Test func aWaiterWithSomethingStaleWaitsTwoSecondsToo() {
        var script = stale()
        #expect(script.play(.joined(.waiter)) == "wake after 2000 ms")
        script.wait(.seconds(2))
        #expect(script.play(.patienceEnded(standIn: script.standIn)) == "cancel timer, stale for waitedTooLong of none")
        #expect(script.play(.flightFinished(.released, isOurs: true)) == "")
    }

    @Test func whatWasPurgedMeanwhileDoesNotStandIn() {
        var script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        script.standIn = nil
        script.wait(.seconds(2))
        #expect(script.play(.patienceEnded(standIn: script.standIn)) == "")
        #expect(
            script.play(.failed(Script.failure))
                == "cancel timer, finish failed upstreamClosed, refuse 502 upstreamClosed")
    }

    @Test func errorsOfTheMomentGiveWayToWhatIsStale() {
        var script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.answered(Script.response(503), .readable))
        #expect(
            script.play(.unstored(Script.response(503), .serverError))
                == "cancel timer, finish released, stale for upstreamError of 503")
        script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.failed(Script.failure))
                == "cancel timer, finish failed upstreamClosed, stale for upstreamClosed of none")
    }

    @Test func aNotFoundIsPassedOnAlthoughSomethingStaleIsThere() {
        var script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.answered(Script.response(404), .readable))
        #expect(
            script.play(.unstored(Script.response(404), .status)) == "cancel timer, finish released, pass 404 status")
    }

    // MARK: What the origin answers

    @Test func anErrorWithoutFieldsOfTheClientsIsEveryones() {
        var script = Script { $0.hasImpersonalErrors = true }
        script.lead()
        _ = script.play(.answered(Script.response(503), .readable))
        #expect(
            script.play(.unstored(Script.response(503), .serverError))
                == "cancel timer, finish unstored 503 serverError, pass 503 serverError")
    }

    @Test func whatWasPurgedOnItsWayServesAllWhoWaitedUnlessFieldsTellAnswersApart() {
        var script = Script()
        script.lead()
        _ = script.play(.answered(Script.response(200), .readable))
        #expect(
            script.play(.unstored(Script.response(200), .outdated))
                == "cancel timer, finish unstored 200 outdated, pass 200 outdated")
        script = Script()
        script.lead()
        _ = script.play(.answered(Script.response(200), .readable))
        #expect(
            script.play(.unstored(Script.response(200, "Vary: Accept\r\n"), .outdated))
                == "cancel timer, finish released, pass 200 outdated")
    }

    @Test func anAnswerThatIsNotReusableReleasesWhoWaited() {
        var script = Script()
        script.lead()
        _ = script.play(.answered(Script.response(200), .readable))
        #expect(
            script.play(.stored(Script.stored(), originStatus: 200, isReusable: false))
                == "cancel timer, finish released, answer 200 of 200")
    }

    @Test func aConfirmationFreshensWhatIsStored() {
        var script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(script.play(.answered(Script.response(304), .readable)) == "freshen by 304")
        #expect(
            script.play(.stored(Script.stored(), originStatus: 304, isReusable: true))
                == "cancel timer, finish stored 200 of 304, answer 200 of 304")
    }

    @Test func aContradictedConfirmationIsAskedForAgainWithoutConditions() {
        var script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.answered(Script.response(304), .readable))
        #expect(script.play(.contradicted) == "send revalidation once")
        // Nothing was asked that a 304 could answer.
        #expect(
            script.play(.answered(Script.response(304), .readable))
                == "cancel timer, finish failed upstreamMalformed, stale for upstreamMalformed of 304")
    }

    @Test func whatIsSentAgainForAClientThatWasServedIsNotRepeatedAfterA429() {
        var script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        script.wait(.seconds(2))
        _ = script.play(.patienceEnded(standIn: script.standIn))
        script.standIn = nil
        _ = script.play(.answered(Script.response(304), .readable))
        #expect(script.play(.contradicted) == "send revalidation once")
    }

    @Test func aRefusedTokenIsRenewedOnce() {
        var script = Script { $0.hasOwnToken = true }
        script.lead()
        #expect(script.play(.answered(Script.response(401), .readable)) == "renew token")
        #expect(script.play(.tokenRenewed(true)) == "send waitingClient")
        #expect(script.play(.answered(Script.response(401), .readable)) == "store 401")
        #expect(
            script.play(.unstored(Script.response(401), .unauthorized))
                == "cancel timer, finish released, pass 401 upstreamRefused")
    }

    @Test func withoutAnotherTokenTheRefusalIsPassedOn() {
        var script = Script { $0.hasOwnToken = true }
        script.lead()
        _ = script.play(.answered(Script.response(401), .readable))
        #expect(script.play(.tokenRenewed(false)) == "cancel timer, finish released, pass 401 upstreamRefused")
    }

    @Test func damagedGzipIsAskedForUncompressedAndLookedAtAllTheSame() {
        var script = Script { $0.acceptsGzip = true }
        _ = script.play(.began(meanwhile: nil))
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "cancel timer, send waitingClient gzip")
        #expect(script.play(.answered(Script.response(200), .damaged)) == "send waitingClient inflating")
        #expect(
            script.play(.answered(Script.response(200), .damaged))
                == "cancel timer, finish failed upstreamMalformed, refuse 502 upstreamMalformed")
    }

    @Test func whatIsTooLargeToInflateIsAskedForUncompressed() {
        var script = Script { $0.acceptsGzip = true }
        script.lead()
        #expect(script.play(.answered(Script.response(200), .tooLarge)) == "send waitingClient")
        #expect(script.play(.answered(Script.response(200), .readable)) == "store 200")
    }

    @Test func interimAnswersGoToAClientThatStillWaits() {
        var script = Script()
        script.lead()
        #expect(script.play(.interim(Self.earlyHints)) == "hint 103")
        _ = script.play(.failed(Script.failure))
        script = Script { $0.audience = .refresh }
        _ = script.play(.began(meanwhile: nil))
        #expect(script.play(.interim(Self.earlyHints)) == "")
    }

    @Test func aDrainingProxyRefusesOrServesWhatIsStale() {
        let draining = ExchangeFailure(UpstreamFailure.draining)
        var script = Script()
        script.lead()
        #expect(script.play(.failed(draining)) == "cancel timer, finish failed draining, refuse 503 draining")
        script = stale()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(script.play(.failed(draining)) == "cancel timer, finish failed draining, stale for draining of none")
    }

    // MARK: Helpers

    private static let earlyHints = UpstreamInterim(status: 103, fields: Script.response(200).fields)

    /// One that waits for another's request.
    private func waiter(_ change: (inout ExchangeState.Traits) -> Void = { _ in }) -> ExchangeScript {
        var script = Script(change)
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.waiter))
        return script
    }

    /// One that has something stale with a validator, about to join.
    private func stale() -> ExchangeScript {
        var script = Script { ($0.hasStored, $0.isRevalidatable, $0.hasStandIn) = (true, true, true) }
        script.standIn = Script.stored()
        _ = script.play(.began(meanwhile: nil))
        return script
    }
}
