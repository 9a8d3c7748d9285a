import Testing

@testable import Proxy

@Suite struct VerdictTests {
    @Test func aRefusedTokenIsRenewedOnceAndOnlyIfItIsTheProxysOwn() {
        #expect(Verdict.of(status: 401, .init(canRenewToken: true)) == .renewToken)
        #expect(Verdict.of(status: 401, .init()) == .relay)
    }

    @Test func errorsOfTheMomentGiveWayToAStaleAnswer() {
        for status in [429, 500, 502, 503, 504, 599] {
            #expect(Verdict.of(status: status, .init(hasFallback: true)) == .standIn)
            #expect(Verdict.of(status: status, .init()) == .relay)
        }
        for status in [200, 400, 403, 404, 410] {
            #expect(Verdict.of(status: status, .init(hasFallback: true)) == .relay)
        }
    }

    @Test func whatWasNotAskedForIsNoAnswer() {
        #expect(Verdict.of(status: 304, .init()) == .refuse)
        #expect(Verdict.of(status: 206, .init()) == .refuse)
        #expect(Verdict.of(status: 304, .init(isConditional: true)) == .relay)
        #expect(Verdict.of(status: 206, .init(asksForRange: true)) == .relay)
    }
}
