import Testing

@testable import Proxy

/// Events that cannot come in a state: a runner that plays one has lost its way, and stops.
@Suite(.timeLimit(.minutes(10))) struct ExchangeImpossibleTests {
    enum Row: String, CaseIterable, Codable, Sendable {
        case secondBeginning, lateJoining, secondAnswer, headWithoutRequest, contentWithoutHead, secondEnd
        case storingWithoutAnswer, refusingWithoutAnswer, contradictionWithoutCondition, renewalWithoutRefusal
        case takeoverByLeader, completionWithoutPart, secondFailure

        /// The last one cannot come.
        var events: [ExchangeState.Event] {
            let response = ExchangeScript.response(200)
            return switch self {
            case .secondBeginning: [.began(meanwhile: nil)]
            case .lateJoining: [.joined(.waiter)]
            case .secondAnswer: [.answered(response, .readable), .answered(response, .readable)]
            case .headWithoutRequest: [.headArrived(response)]
            case .contentWithoutHead: [.received([1])]
            case .secondEnd: [.headArrived(response), .finished, .finished]
            case .storingWithoutAnswer: [.stored(ExchangeScript.stored(), originStatus: 200, isReusable: true)]
            case .refusingWithoutAnswer: [.unstored(response, .noStore)]
            case .contradictionWithoutCondition: [.answered(response, .readable), .contradicted]
            case .renewalWithoutRefusal: [.tokenRenewed(true)]
            case .takeoverByLeader: [.tookOver(meanwhile: nil)]
            case .completionWithoutPart: [.completed(nil)]
            case .secondFailure: [.failed(ExchangeScript.failure), .failed(ExchangeScript.failure)]
            }
        }
    }

    @Test(arguments: Row.allCases) func aRunnerThatHasLostItsWayStops(_ row: Row) async {
        await #expect(processExitsWith: .failure) { [row] in
            var script = ExchangeScript()
            if row != .headWithoutRequest { script.lead() }
            for event in row.events { _ = script.play(event) }
        }
    }
}
