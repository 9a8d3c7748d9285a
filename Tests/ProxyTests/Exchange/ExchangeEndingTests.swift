import Freshness
import Testing

@testable import Proxy

/// The effects of the end of an exchange, apart from its answer.
@Suite struct ExchangeEndingTests {
    private typealias Script = ExchangeScript

    @Test func errorsOfTheMomentGiveWayToAStaleAnswer() {
        for status in [429, 500, 502, 503, 504, 599] { #expect(OriginVerdict.standsIn(forStatus: status)) }
        for status in [200, 400, 403, 404, 410] { #expect(!OriginVerdict.standsIn(forStatus: status)) }
    }

    /// Waiters asked one by one an origin that was in trouble and had said for how long.
    @Test func anErrorOutrankedByAStaleAnswerIsShared() {
        for (fields, ending) in [("", "finish unstored 503 serverError"), ("Vary: Accept\r\n", "finish released")] {
            var script = Script.leading { $0.hasStandIn = true }
            script.standIn = Script.stored()
            _ = script.play(.answered(Script.response(503, fields), .readable))
            let step = script.play(.outranked(Script.response(503, fields)))
            #expect(step == "cancel timer, \(ending), stale for upstreamError of 503")
        }
    }

    /// A token that had expired looked like any miss, and a good stale answer was not given.
    @Test(arguments: [401, 403]) func aStaleAnswerStandsInForARefusedOwnToken(status: Int) {
        for (isOwn, end) in [
            (true, "stale for upstreamRefused of \(status)"), (false, "pass \(status) unauthorized"),
        ] {
            var script = Script.leading { ($0.hasStandIn, $0.hasOwnToken) = (true, isOwn) }
            script.standIn = Script.stored()
            let isRenewing = script.answered(status) == "renew token"
            let step = script.play(
                isRenewing ? .tokenRenewed(false) : .unstored(Script.response(status), .unauthorized))
            #expect(step == "cancel timer, finish released, \(end)")
        }
    }

    /// Its request was not repeated after a 429, as if there were something to serve.
    @Test func aWaiterWhoseStandInWasPurgedAsksLikeAnyOther() {
        var script = Script.waiting { ($0.hasStored, $0.hasStandIn) = (true, true) }
        script.wait(.seconds(2))
        #expect(script.play(.patienceEnded(standIn: nil)) == "take over")
        #expect(script.play(.tookOver(meanwhile: nil)) == "cancel timer, send revalidation")
    }

    @Test func aWriteAndAForbiddenTokenEndTheUsersGeneration() {
        func write() -> ExchangeScript {
            Script.begun { ($0.isCollapsible, $0.isSafe, $0.hasUser) = (false, false, true) }
        }
        var script = write()
        script.answered(201)
        #expect(script.unstored(201, .method).contains("end generation"))
        script = write()
        #expect(script.failed().contains("end generation"))
        script = write()
        #expect(script.headArrived(200).contains("invalidate by 200, end generation"))
        for (status, ends) in [(403, true), (404, false)] {
            var other = Script.begun { ($0.isCollapsible, $0.hasUser) = (false, true) }
            other.answered(status)
            #expect(other.unstored(status, .unauthorized).contains("end generation") == ends)
        }
    }

    @Test func aComposedAnswerIsComparedWithTheOrigins() {
        for (status, isCompared) in [(200, true), (404, true), (401, false), (403, false), (429, false), (500, false)] {
            var script = Script.leading { $0.isVerified = true }
            script.answered(status)
            #expect(script.unstored(status, .status).contains("compare \(status)") == isCompared)
        }
        var script = Script.leading { $0.isVerified = true }
        script.answered(200)
        #expect(script.stored(of: 200).contains("compare 200"))
        // An answer of another exchange is not compared.
        var other = Script.begun { $0.isVerified = true }
        #expect(!other.play(.joined(.leader(meanwhile: Script.stored()))).contains("compare"))
        // A confirmation says nothing new.
        var confirmed = Script.leading { ($0.isVerified, $0.isRevalidatable) = (true, true) }
        confirmed.answered(304)
        #expect(!confirmed.stored(of: 304).contains("compare"))
    }

    private static let refused = ExchangeFailure(status: 503, reason: .queueFull, retryAfter: 3)

    @Test func anUnwantedRequestIsCancelledUnlessItIsAnswered() {
        var script = Script.leading()
        #expect(script.play(.unwanted) == "cancel timer, finish failed clientLeft, refuse 503 clientLeft, cancel")
        #expect(script.play(.unwanted) == "")
        var answered = Script.leading()
        answered.answered(200)
        #expect(answered.play(.unwanted) == "")
        // A client that is taken to have left gets a stale answer.
        var stale = Script.leading { $0.hasStandIn = true }
        stale.standIn = Script.stored()
        let step = stale.play(.unwanted)
        #expect(step == "cancel timer, finish failed clientLeft, stale for clientLeft of none, cancel")
    }

    /// There may be a turn for one of the waiters: they are of other parties, perhaps.
    @Test func waiterOfALeaderThatHadNoTurnJoinsOnceMore() {
        var script = Script.waiting()
        #expect(script.flightFinished(.leadersOwn(Self.refused)) == "join")
        #expect(script.joined() == "cancel timer, send waitingClient")
        #expect(!script.isCollapsed)
        var again = Script.waiting()
        again.flightFinished(.leadersOwn(Self.refused))
        #expect(again.play(.joined(.waiter)) == "wake after 5000 ms")
        #expect(again.flightFinished(.leadersOwn(Self.refused)) == "cancel timer, refuse 503 queueFull")
    }

    @Test(arguments: [Reason.upstreamClosed, .upstreamMalformed, .queueFull, .upstreamConnect])
    func anErrorThatFieldsMayCauseIsTheLeadersOwn(reason: Reason) {
        for carriesFields in [false, true] {
            var script = Script.leading { $0.carriesFields = carriesFields }
            let isOwn = reason == .queueFull || carriesFields && reason != .upstreamConnect
            let ending = isOwn ? "finish as its own" : "finish failed"
            let step = script.play(.failed(ExchangeFailure(status: 502, reason: reason)))
            #expect(step == "cancel timer, \(ending) \(reason), refuse 502 \(reason)")
        }
    }

    @Test func aWaiterAsksAloneAfterTwoLeadersErrors() {
        var script = Script.waiting { $0.carriesFields = true }
        #expect(script.flightFinished(.leadersOwn(nil)) == "join")
        _ = script.play(.joined(.waiter))
        #expect(script.flightFinished(.leadersOwn(nil)) == "cancel timer, begin, send waitingClient")
        // Then it is the target's, and later requests wait for no other.
        var other = Script.leading { $0.carriesFields = true }
        other.answered(431)
        #expect(other.unstored(431, .status).contains("finish as its own error, pass 431"))
        other = Script.waiting { $0.carriesFields = true }
        other.flightFinished(.leadersOwn(nil))
        other.joined()
        other.answered(431)
        #expect(other.unstored(431, .status).contains("finish released, pass 431"))
    }
}
