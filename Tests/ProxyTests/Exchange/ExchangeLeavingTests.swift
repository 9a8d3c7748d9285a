import Freshness
import Testing

@testable import Proxy
@testable import Upstream

/// Clients that leave before anything was asked for them, and leaders that failed for a reason of
/// their own.
@Suite struct ExchangeLeavingTests {
    private typealias Script = ExchangeScript

    private static let refused = ExchangeFailure(status: 503, reason: .queueFull, retryAfter: 3)

    @Test func whatNoClientWaitsForIsNotAsked() {
        var script = Script()
        script.lead()
        #expect(
            script.play(.unwanted) == "cancel timer, finish failed clientLeft, refuse 503 clientLeft, cancel")
        #expect(script.play(.unwanted) == "")
    }

    @Test func clientThatIsTakenToHaveLeftGetsWhatIsStale() {
        var script = Script { $0.hasStandIn = true }
        script.standIn = Script.stored(age: 100)
        script.lead()
        #expect(
            script.play(.unwanted)
                == "cancel timer, finish failed clientLeft, stale for clientLeft of none, cancel")
    }

    @Test func whatWasAnsweredMeanwhileIsNotGivenUp() {
        var script = Script()
        script.lead()
        _ = script.play(.answered(Script.response(200), .readable))
        #expect(script.play(.unwanted) == "")
    }

    /// There may be a turn for one of those who waited: they are of other parties, perhaps.
    @Test func waiterOfALeaderThatHadNoTurnJoinsOnceMore() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.waiter))
        #expect(script.play(.flightFinished(.leadersOwn(Self.refused), isOurs: true)) == "join")
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "cancel timer, send waitingClient")
        #expect(!script.isCollapsed)
    }

    @Test func waiterGivesUpAfterTheSecondLeaderWithoutATurn() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.waiter))
        _ = script.play(.flightFinished(.leadersOwn(Self.refused), isOurs: true))
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        #expect(
            script.play(.flightFinished(.leadersOwn(Self.refused), isOurs: true))
                == "cancel timer, refuse 503 queueFull")
    }

    @Test(arguments: [Reason.upstreamClosed, .upstreamMalformed, .queueFull, .upstreamConnect])
    func whatMayComeOfAFieldOfTheLeadersIsItsOwn(reason: Reason) {
        for carriesFields in [false, true] {
            var script = Script { $0.carriesFields = carriesFields }
            script.lead()
            let isOwn = reason == .queueFull || carriesFields && reason != .upstreamConnect
            let ending = isOwn ? "finish as its own" : "finish failed"
            #expect(
                script.play(.failed(ExchangeFailure(status: 502, reason: reason)))
                    == "cancel timer, \(ending) \(reason), refuse 502 \(reason)")
        }
    }

    @Test func whoMetTheErrorOfTwoLeadersAsksAlone() {
        var script = Script { $0.carriesFields = true }
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.waiter))
        #expect(script.play(.flightFinished(.leadersOwn(nil), isOurs: true)) == "join")
        _ = script.play(.joined(.waiter))
        #expect(
            script.play(.flightFinished(.leadersOwn(nil), isOurs: true)) == "cancel timer, begin, send waitingClient")
    }

    /// Then it is the target's, and those who come later wait for no other.
    @Test func anErrorThatComesAgainReleasesTheOthers() {
        var script = Script { $0.carriesFields = true }
        script.lead()
        _ = script.play(.answered(Script.response(431), .readable))
        #expect(script.play(.unstored(Script.response(431), .status)).contains("finish as its own error, pass 431"))
        script = Script { $0.carriesFields = true }
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.waiter))
        _ = script.play(.flightFinished(.leadersOwn(nil), isOurs: true))
        _ = script.play(.joined(.leader(meanwhile: nil)))
        _ = script.play(.answered(Script.response(431), .readable))
        #expect(script.play(.unstored(Script.response(431), .status)).contains("finish released, pass 431"))
    }
}
