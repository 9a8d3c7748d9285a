import Cache
import Testing

@testable import Proxy
@testable import Upstream

/// Events that cannot come in a state: a runner that plays one has lost its way, and stops.
@Suite struct ExchangeImpossibleTests {
    @Test func anExchangeBeginsOnce() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.began(meanwhile: nil))
        }
    }

    @Test func aFlightIsJoinedAtTheBeginning() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.joined(.waiter))
        }
    }

    @Test func theOriginAnswersOnce() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.answered(ExchangeScript.response(200), .readable))
            _ = script.play(.answered(ExchangeScript.response(200), .readable))
        }
    }

    @Test func aHeadComesAfterAQuestion() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            _ = script.play(.headArrived(ExchangeScript.response(200)))
        }
    }

    @Test func contentComesAfterAHead() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.received([1]))
        }
    }

    @Test func aLargeAnswerEndsOnce() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.headArrived(ExchangeScript.response(200)))
            _ = script.play(.finished)
            _ = script.play(.finished)
        }
    }

    @Test func onlyAnAnswerIsStored() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.stored(ExchangeScript.stored(), originStatus: 200, isReusable: true))
        }
    }

    @Test func onlyAnAnswerIsRefusedByTheCache() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.unstored(ExchangeScript.response(200), .noStore))
        }
    }

    @Test func onlyAConditionalRequestIsContradicted() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.answered(ExchangeScript.response(200), .readable))
            _ = script.play(.contradicted)
        }
    }

    @Test func onlyARefusedTokenIsRenewed() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.tokenRenewed(true))
        }
    }

    @Test func onlyWhatWaitsTakesOver() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.tookOver(meanwhile: nil))
        }
    }

    @Test func onlyAPartCompletes() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.completed(nil))
        }
    }

    @Test func onlyWhatWasAskedFails() async {
        await #expect(processExitsWith: .failure) {
            var script = ExchangeScript()
            script.lead()
            _ = script.play(.failed(ExchangeScript.failure))
            _ = script.play(.failed(ExchangeScript.failure))
        }
    }
}
