import Freshness
import Testing

@testable import Proxy
@testable import Upstream

/// Clients that leave before anything was asked for them, and leaders that failed for a reason of
/// their own.
@Suite struct ExchangeLeavingTests {
    private typealias Script = ExchangeScript

    private static let refused = ExchangeFailure(status: 503, reason: .queueFull, retryAfter: 3)

    @Test func anUnwantedRequestIsCancelled() {
        var script = Script.leading()
        #expect(script.play(.unwanted) == "cancel timer, finish failed clientLeft, refuse 503 clientLeft, cancel")
        #expect(script.play(.unwanted) == "")
    }

    @Test func clientThatIsTakenToHaveLeftGetsWhatIsStale() {
        var script = Script.leading { $0.hasStandIn = true }
        script.standIn = Script.stored(age: 100)
        #expect(
            script.play(.unwanted)
                == "cancel timer, finish failed clientLeft, stale for clientLeft of none, cancel")
    }

    @Test func anAnsweredRequestIsNotCancelled() {
        var script = Script.leading()
        script.answered(200)
        #expect(script.play(.unwanted) == "")
    }

    /// There may be a turn for one of the waiters: they are of other parties, perhaps.
    @Test func waiterOfALeaderThatHadNoTurnJoinsOnceMore() {
        var script = Script.waiting()
        #expect(script.flightFinished(.leadersOwn(Self.refused)) == "join")
        #expect(script.joined() == "cancel timer, send waitingClient")
        #expect(!script.isCollapsed)
    }

    @Test func waiterGivesUpAfterTheSecondLeaderWithoutATurn() {
        var script = Script.waiting()
        script.flightFinished(.leadersOwn(Self.refused))
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        #expect(script.flightFinished(.leadersOwn(Self.refused)) == "cancel timer, refuse 503 queueFull")
    }

    @Test(arguments: [Reason.upstreamClosed, .upstreamMalformed, .queueFull, .upstreamConnect])
    func anErrorThatFieldsMayCauseIsTheLeadersOwn(reason: Reason) {
        for carriesFields in [false, true] {
            var script = Script.leading { $0.carriesFields = carriesFields }
            let isOwn = reason == .queueFull || carriesFields && reason != .upstreamConnect
            let ending = isOwn ? "finish as its own" : "finish failed"
            #expect(
                script.play(.failed(ExchangeFailure(status: 502, reason: reason)))
                    == "cancel timer, \(ending) \(reason), refuse 502 \(reason)")
        }
    }

    @Test func aWaiterAsksAloneAfterTwoLeadersErrors() {
        var script = Script.waiting { $0.carriesFields = true }
        #expect(script.flightFinished(.leadersOwn(nil)) == "join")
        _ = script.play(.joined(.waiter))
        #expect(script.flightFinished(.leadersOwn(nil)) == "cancel timer, begin, send waitingClient")
    }

    /// Then it is the target's, and later requests wait for no other.
    @Test func anErrorThatComesAgainReleasesTheOthers() {
        var script = Script.leading { $0.carriesFields = true }
        script.answered(431)
        #expect(script.unstored(431, .status).contains("finish as its own error, pass 431"))
        script = Script.waiting { $0.carriesFields = true }
        script.flightFinished(.leadersOwn(nil))
        script.joined()
        script.answered(431)
        #expect(script.unstored(431, .status).contains("finish released, pass 431"))
    }
}
