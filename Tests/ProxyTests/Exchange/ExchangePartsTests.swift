import Freshness
import Testing

@testable import Proxy
@testable import Upstream

/// Answers that are completed by other exchanges: supplements, batches, and these exchanges
/// themselves.
@Suite struct ExchangePartsTests {
    private typealias Script = ExchangeScript

    private func completing(isBatch: Bool) -> ExchangeScript {
        var script = Script { ($0.hasSupplement, $0.isBatchable) = (!isBatch, isBatch) }
        _ = script.play(.began(meanwhile: nil))
        return script
    }

    @Test func aLeaderFetchesWhatACompositionLacksAndComposes() {
        var script = completing(isBatch: false)
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "wake after 5000 ms, fetch part")
        script.composed = Script.stored()
        #expect(
            script.play(.partEnded(.stored(status: 200), isFirst: true))
                == "cancel timer, finish stored 200 of 200, answer 200 of 200")
    }

    @Test func aWholeAnswerThatCameMeanwhileIsTakenBeforeAComposition() {
        for isBatch in [false, true] {
            var script = completing(isBatch: isBatch)
            _ = script.play(.joined(.leader(meanwhile: nil)))
            if isBatch { _ = script.play(.batched(isAlone: false)) }
            (script.arrived, script.composed) = (Script.stored(404), Script.stored(200))
            #expect(
                script.play(.partEnded(.stored(status: 200), isFirst: true))
                    == "cancel timer, finish stored 404 of 404, answer 404 of 404")
        }
    }

    @Test func nothingStaleCompletesAComposition() {
        var script = Script { ($0.hasSupplement, $0.hasStandIn) = (true, true) }
        script.standIn = Script.stored()
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.partEnded(.stored(status: 200), isFirst: true))
                == "wake after 2000 ms, send waitingClient once")
    }

    @Test func aSupplementGoesBeforeABatch() {
        var script = Script { ($0.hasSupplement, $0.isBatchable) = (true, true) }
        _ = script.play(.began(meanwhile: nil))
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "wake after 5000 ms, fetch part")
    }

    @Test func oneOfABatchPaysForIt() {
        for (isFirst, words) in [(true, "answer 200 of 200"), (false, "saved one, answer 200 of 200")] {
            var script = completing(isBatch: true)
            #expect(script.play(.joined(.alone)) == "join batch")
            #expect(script.play(.batched(isAlone: false)) == "wake after 5000 ms")
            script.composed = Script.stored()
            #expect(
                script.play(.partEnded(.stored(status: 200), isFirst: isFirst))
                    == "cancel timer, finish stored 200 of 200, " + words)
        }
    }

    @Test func whatIsNotJoinedWithOthersGoesAtOnceAndWithoutATimer() {
        var script = completing(isBatch: true)
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "join batch")
        #expect(script.play(.batched(isAlone: true)) == "cancel timer, send waitingClient")
    }

    @Test func whatWaitedForOthersThatDidNotComeGoesByItself() {
        var script = completing(isBatch: true)
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.batched(isAlone: false))
        script.wait(.milliseconds(4))
        #expect(script.play(.batched(isAlone: true)) == "cancel timer, send waitingClient")
    }

    @Test func aClientThatLostItsPatienceWithABatchHearsNoMoreOfIt() {
        var script = completing(isBatch: true)
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.batched(isAlone: false))
        script.wait(.seconds(5))
        #expect(script.play(.patienceEnded(standIn: nil)) == "cancel timer, send waitingClient")
        #expect(script.play(.batched(isAlone: true)) == "")
        #expect(script.play(.partEnded(.stored(status: 200), isFirst: false)) == "")
    }

    /// One that is asked in the background, to be compared.
    private func witness() -> ExchangeScript {
        Script { ($0.audience, $0.isWitness, $0.isVerified, $0.isCollapsible) = (.part, true, true, false) }
    }

    @Test func aWitnessAsksInTheBackgroundAloneAndOnce() {
        var script = witness()
        #expect(script.play(.began(meanwhile: Script.stored())) == "cancel timer, begin, send refresh once")
        #expect(script.play(.answered(Script.response(200), .readable)) == "store 200")
        #expect(
            script.play(.stored(Script.stored(), originStatus: 200, isReusable: true))
                == "compare 200, finish stored 200 of 200, report stored")
    }

    @Test func aWitnessThatSaysNothingReportsThatToo() {
        for status in [429, 500] {
            var script = witness()
            _ = script.play(.began(meanwhile: nil))
            _ = script.play(.answered(Script.response(status), .readable))
            let step = script.play(.unstored(Script.response(status), .status))
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

    @Test func whatCannotBeCompletedIsAskedForAsAWhole() {
        for (end, whole) in [(PartEnd.stored(status: 200), nil), (.unusable(status: 404), Script.stored())] {
            var script = completing(isBatch: false)
            _ = script.play(.joined(.leader(meanwhile: nil)))
            script.composed = whole
            #expect(script.play(.partEnded(end, isFirst: true)) == "cancel timer, send waitingClient")
        }
    }

    @Test func anOriginThatGaveNothingForThePartIsNotAskedAgain() {
        var script = completing(isBatch: false)
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.partEnded(.failed(Script.failure), isFirst: true))
                == "cancel timer, finish failed upstreamClosed, refuse 502 upstreamClosed")
    }

    /// Each of up to a hundred that were joined asked for itself an origin that had just refused.
    @Test func anOriginThatRefusedThePartIsNotAskedAgainForEachWhole() {
        for (status, reason) in [(429, Reason.rateLimited), (503, .serverError)] {
            for (isFirst, isBatch) in [(true, true), (false, true), (true, false)] {
                var script = completing(isBatch: isBatch)
                _ = script.play(.joined(.leader(meanwhile: nil)))
                if isBatch { _ = script.play(.batched(isAlone: false)) }
                #expect(
                    script.play(.partEnded(.refused(Script.response(status), reason), isFirst: isFirst))
                        == "cancel timer, finish released, pass \(status) \(reason)")
                #expect(script.isCollapsed != isFirst, "a cookie is the first one's alone")
            }
        }
    }

    @Test func anOriginThatRefusedThePartIsStoodInFor() {
        var script = Script { ($0.hasSupplement, $0.hasStandIn, $0.hasImpersonalErrors) = (true, true, true) }
        script.standIn = Script.stored()
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.partEnded(.refused(Script.response(429), .rateLimited), isFirst: true))
                == "cancel timer, finish unstored 429 rateLimited, stale for upstreamError of 429")
    }

    /// The relationships that the client did not ask for may be what the origin could not do.
    @Test func aFailureOfMoreThanTheClientWantsIsNotItsAnswer() {
        for (status, words) in [(500, "cancel timer, send waitingClient"), (503, "cancel timer, send waitingClient")] {
            var script = Script { ($0.hasSupplement, $0.asksForMore) = (true, true) }
            _ = script.play(.began(meanwhile: nil))
            _ = script.play(.joined(.leader(meanwhile: nil)))
            #expect(
                script.play(.partEnded(.refused(Script.response(status), .serverError), isFirst: true)) == words)
        }
        var script = Script { ($0.hasSupplement, $0.asksForMore) = (true, true) }
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.partEnded(.refused(Script.response(429), .rateLimited), isFirst: true))
                == "cancel timer, finish released, pass 429 rateLimited", "nothing more is to be asked for")
    }

    @Test func aClientThatWaitsLongForAPartGetsTheWholeAskedForAndThePartCountsNoMore() {
        var script = completing(isBatch: false)
        _ = script.play(.joined(.leader(meanwhile: nil)))
        script.wait(.seconds(5))
        #expect(script.play(.patienceEnded(standIn: script.standIn)) == "cancel timer, send waitingClient")
        script.composed = Script.stored()
        #expect(script.play(.partEnded(.stored(status: 200), isFirst: true)) == "")
    }

    @Test func aClientThatWasServedStaleLeavesAPartThatServesWhoWait() {
        var script = Script { ($0.hasSupplement, $0.hasStandIn) = (true, true) }
        script.standIn = Script.stored()
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.leader(meanwhile: nil)))
        script.wait(.seconds(5))
        #expect(script.play(.patienceEnded(standIn: script.standIn)) == "cancel timer, stale for waitedTooLong of none")
        script.composed = Script.stored()
        #expect(
            script.play(.partEnded(.stored(status: 200), isFirst: true))
                == "finish stored 200 of 200", "its timer has gone with the stale answer")
    }

    // MARK: As a part of another

    private func part() -> ExchangeScript {
        var script = Script { $0.audience = .part }
        #expect(script.play(.began(meanwhile: nil)) == "join")
        return script
    }

    @Test func aPartAsksAndReports() {
        var script = part()
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "cancel timer, send waitingClient")
        _ = script.play(.answered(Script.response(200), .readable))
        #expect(
            script.play(.stored(Script.stored(), originStatus: 200, isReusable: true))
                == "finish stored 200 of 200, report stored")
    }

    @Test func aPartThatIsNotStoredOrFailsSaysSo() {
        var script = part()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.answered(Script.response(504), .readable))
        #expect(
            script.play(.unstored(Script.response(504), .serverError))
                == "finish released, report refused 504 serverError")
        script = part()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.failed(Script.failure)) == "finish failed upstreamClosed, report failed upstreamClosed")
        script = part()
        #expect(script.play(.joined(.full)) == "report failed queueFull")
    }

    @Test func aPartWaitsForAnothersRequestWithoutAsking() {
        let outcomes: [(FlightOutcome, String)] = [
            (.stored(Script.stored(), originStatus: 200), "report stored"),
            (.unstored(Script.response(503), .serverError), "report refused 503 serverError"),
            (.unstored(Script.response(504), .serverError), "report refused 504 serverError"),
            (.released, "report unusable none"), (.failed(Script.failure), "report failed upstreamClosed"),
        ]
        for (outcome, words) in outcomes {
            var script = part()
            #expect(script.play(.joined(.waiter)) == "")
            #expect(script.play(.flightFinished(outcome, isOurs: true)) == words)
        }
    }

    @Test func aPartThatIsTooLargeIsNotRead() {
        var script = part()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        #expect(
            script.play(.headArrived(Script.response(200)))
                == "invalidate by 200, finish released, report unusable 200, cancel")
    }

    @Test func aPartThatIsRefusedSaysSo() {
        var script = part()
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.answered(Script.response(429), .readable))
        #expect(
            script.play(.unstored(Script.response(429), .rateLimited))
                == "finish released, report refused 429 rateLimited")
        for (status, words) in [(503, "failed upstreamError"), (504, "failed upstreamError")] {
            script = part()
            _ = script.play(.joined(.leader(meanwhile: nil)))
            #expect(script.play(.headArrived(Script.response(status))).contains("report \(words)"))
        }
    }
}
