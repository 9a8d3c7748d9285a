import Testing

@testable import Proxy
@testable import Upstream

/// Clients that leave before anything was asked for them, and leaders that had no turn.
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
        #expect(script.play(.flightFinished(.failed(Self.refused), isOurs: true)) == "join")
        #expect(script.play(.joined(.leader(meanwhile: nil))) == "cancel timer, send waitingClient")
        #expect(!script.isCollapsed)
    }

    @Test func waiterGivesUpAfterTheSecondLeaderWithoutATurn() {
        var script = Script()
        _ = script.play(.began(meanwhile: nil))
        _ = script.play(.joined(.waiter))
        _ = script.play(.flightFinished(.failed(Self.refused), isOurs: true))
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        #expect(
            script.play(.flightFinished(.failed(Self.refused), isOurs: true)) == "cancel timer, refuse 503 queueFull")
    }
}
