import Freshness
import Testing

@testable import Proxy

/// Supplements, batches, and the exchanges that fetch these.
@Suite struct ExchangePartsTests {
    private typealias Script = ExchangeScript

    private func completing(isBatch: Bool) -> ExchangeScript {
        Script.begun { ($0.hasSupplement, $0.isBatchable) = (!isBatch, isBatch) }
    }

    /// The same, which waits for its part or its batch.
    private func waiting(isBatch: Bool) -> ExchangeScript {
        var script = completing(isBatch: isBatch)
        script.joined()
        if isBatch { _ = script.play(.batched(isAlone: false)) }
        return script
    }

    @Test func aLeaderFetchesWhatACompositionLacksAndComposes() {
        var script = completing(isBatch: false)
        #expect(script.joined() == "wake after 5000 ms, fetch part")
        script.composed = Script.stored()
        #expect(script.partEnded(.stored(status: 200)) == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        // A supplement goes before a batch.
        var both = Script.begun { ($0.hasSupplement, $0.isBatchable) = (true, true) }
        #expect(both.joined() == "wake after 5000 ms, fetch part")
        let ends = [(PartEnd.stored(status: 200), nil), (.unusable(status: 404), Script.stored()), (.incomplete, nil)]
        for (end, whole) in ends {
            var script = waiting(isBatch: false)
            script.composed = whole
            #expect(script.partEnded(end) == "cancel timer, send waitingClient")
        }
    }

    @Test func aWholeAnswerThatCameMeanwhileIsTakenBeforeAComposition() {
        for isBatch in [false, true] {
            var script = waiting(isBatch: isBatch)
            (script.arrived, script.composed) = (Script.stored(404), Script.stored(200))
            let end = script.partEnded(.stored(status: 200))
            #expect(end == "cancel timer, finish stored 404 of 404, answer 404 of 404")
        }
        // Nothing stale completes a composition.
        var script = Script.leading { ($0.hasSupplement, $0.hasStandIn) = (true, true) }
        script.standIn = Script.stored()
        #expect(script.partEnded(.stored(status: 200)) == "wake after 2000 ms, send waitingClient once")
    }

    @Test func oneOfABatchPaysAndALoneMissGoesAlone() {
        for isFirst in [true, false] {
            var script = completing(isBatch: true)
            #expect(script.play(.joined(.alone)) == "join batch")
            #expect(script.play(.batched(isAlone: false)) == "wake after 5000 ms")
            script.composed = Script.stored()
            let end = script.partEnded(.stored(status: 200), isFirst: isFirst)
            #expect(end == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        }
        for hasWaited in [false, true] {
            var script = completing(isBatch: true)
            #expect(script.joined() == "join batch")
            if hasWaited { _ = script.play(.batched(isAlone: false)) }
            script.wait(.milliseconds(4))
            #expect(script.play(.batched(isAlone: true)) == "cancel timer, send waitingClient")
        }
    }

    /// One that is asked in the background, to be compared.
    private func witness() -> ExchangeScript {
        Script { ($0.audience, $0.isWitness, $0.isVerified, $0.isCollapsible) = (.part, true, true, false) }
    }

    @Test func aWitnessAsksOnceInTheBackgroundAndReports() {
        var script = witness()
        #expect(script.play(.began(meanwhile: Script.stored())) == "cancel timer, begin, send refresh once")
        #expect(script.answered(200) == "store 200")
        #expect(script.stored(of: 200) == "compare 200, finish stored 200 of 200, report stored")
        for status in [429, 500] {
            var script = witness()
            _ = script.play(.began(meanwhile: nil))
            script.answered(status)
            let step = script.unstored(status, .status)
            #expect(!step.contains("compare") && step.hasSuffix("report refused \(status) status"), "\(step)")
        }
        for event in [ExchangeState.Event.failed(Script.failure), .headArrived(Script.response(200))] {
            var script = witness()
            _ = script.play(.began(meanwhile: nil))
            let step = script.play(event)
            #expect(!step.contains("compare") && step.contains("report "), "\(step)")
        }
    }

    /// A parent had it: nothing says that the origin would say it now.
    @Test(arguments: [0, 5])
    func anAnswerWithAnAgeIsNoWitness(age: Int) {
        let response = Script.response(200, "Age: \(age)\r\n")
        for event in [
            ExchangeState.Event.stored(Script.stored(), originStatus: 200, isReusable: true),
            .unstored(response, .status),
        ] {
            var script = witness()
            _ = script.play(.began(meanwhile: nil))
            _ = script.play(.answered(response, .readable))
            let step = script.play(event)
            #expect(step.contains("compare") == (age == 0) && step.contains("report "), "\(step)")
        }
    }

    /// Each of up to a hundred that were joined asked for itself an origin that had just refused.
    @Test func aRefusedPartIsNotAskedForAgainAsAWhole() {
        for (status, reason) in [(429, Reason.rateLimited), (503, .serverError)] {
            for (isFirst, isBatch) in [(true, true), (false, true), (true, false)] {
                var script = waiting(isBatch: isBatch)
                let end = script.partEnded(.refused(Script.response(status), reason), isFirst: isFirst)
                #expect(end == "cancel timer, finish released, pass \(status) \(reason)")
                #expect(script.isCollapsed != isFirst, "a cookie is the first one's alone")
            }
        }
        var script = waiting(isBatch: false)
        let failed = script.partEnded(.failed(Script.failure))
        #expect(failed == "cancel timer, finish failed upstreamClosed, refuse 502 upstreamClosed")
        var refused = Script.leading { ($0.hasSupplement, $0.hasStandIn, $0.hasImpersonalErrors) = (true, true, true) }
        refused.standIn = Script.stored()
        let stale = refused.partEnded(.refused(Script.response(429), .rateLimited))
        #expect(stale == "cancel timer, finish unstored 429 rateLimited, stale for upstreamError of 429")
    }

    /// The origin may have failed because of the relationships that the client did not ask for.
    @Test func aFailureOfMoreThanTheClientWantsIsNotItsAnswer() {
        for (status, reason, words) in [
            (500, Reason.serverError, "cancel timer, send waitingClient"),
            (503, .serverError, "cancel timer, send waitingClient"),
            // Nothing more is to be asked for.
            (429, .rateLimited, "cancel timer, finish released, pass 429 rateLimited"),
        ] {
            var script = Script.leading { ($0.hasSupplement, $0.asksForMore) = (true, true) }
            #expect(script.partEnded(.refused(Script.response(status), reason)) == words)
        }
    }

    @Test func aLatePartOrBatchIsReplaced() {
        var script = waiting(isBatch: false)
        script.wait(.seconds(5))
        #expect(script.patienceEnded() == "cancel timer, send waitingClient")
        script.composed = Script.stored()
        #expect(script.partEnded(.stored(status: 200)) == "")
        var stale = Script.leading { ($0.hasSupplement, $0.hasStandIn) = (true, true) }
        stale.standIn = Script.stored()
        stale.wait(.seconds(5))
        #expect(stale.patienceEnded() == "cancel timer, stale for waitedTooLong of none")
        stale.composed = Script.stored()
        let end = stale.partEnded(.stored(status: 200))
        #expect(end == "finish stored 200 of 200", "its timer has gone with the stale answer")
        var batch = waiting(isBatch: true)
        batch.wait(.seconds(5))
        #expect(batch.play(.patienceEnded(standIn: nil)) == "cancel timer, send waitingClient")
        #expect(batch.play(.batched(isAlone: true)) == "")
        #expect(batch.partEnded(.stored(status: 200), isFirst: false) == "")
    }

    // MARK: As a part of another

    private func part() -> ExchangeScript {
        var script = Script { $0.audience = .part }
        #expect(script.play(.began(meanwhile: nil)) == "join")
        return script
    }

    @Test func aPartReportsItsAnswerOrItsFailure() {
        var script = part()
        #expect(script.joined() == "cancel timer, send waitingClient")
        script.answered(200)
        #expect(script.stored(of: 200) == "finish stored 200 of 200, report stored")
        script = part()
        script.joined()
        script.answered(504)
        #expect(script.unstored(504, .serverError) == "finish released, report refused 504 serverError")
        script = part()
        script.joined()
        #expect(script.failed() == "finish failed upstreamClosed, report failed upstreamClosed")
        script = part()
        #expect(script.play(.joined(.full(.queueFull))) == "report failed queueFull")
    }

    @Test func aPartWaitsForAnotherAndIsNotReadWhereTooLarge() {
        let outcomes: [(FlightOutcome, String)] = [
            (.stored(Script.stored(), originStatus: 200), "report stored"),
            (.unstored(Script.response(503), .serverError), "report refused 503 serverError"),
            (.unstored(Script.response(504), .serverError), "report refused 504 serverError"),
            (.released, "report unusable none"), (.failed(Script.failure), "report failed upstreamClosed"),
        ]
        for (outcome, words) in outcomes {
            var script = part()
            #expect(script.play(.joined(.waiter)) == "")
            #expect(script.flightFinished(outcome) == words)
        }
        var script = part()
        script.joined()
        #expect(script.headArrived(200) == "invalidate by 200, finish released, report too large, cancel")
        for status in [503, 504] {
            var error = part()
            error.joined()
            #expect(error.headArrived(status).contains("report failed upstreamError"))
        }
    }
}
