import Freshness
import Testing

@testable import Proxy
@testable import Upstream

/// Clients that leave before anything was asked for them, and leaders that failed for a reason of
/// their own.
@Suite struct ExchangeLeavingTests {
    private typealias Script = ExchangeScript

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
        stale.standIn = Script.stored(age: 100)
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
