import Testing

@testable import Proxy

@Suite struct VerdictTests {
    @Test func aRefusedTokenIsRenewedOnceAndOnlyIfItIsTheProxysOwn() {
        #expect(Verdict.of(status: 401, .init(canRenewToken: true)) == .renewToken)
        #expect(Verdict.of(status: 401, .init()) == .accept)
    }

    @Test func errorsOfTheMomentGiveWayToAStaleAnswer() {
        for status in [429, 500, 502, 503, 504, 599] { #expect(Verdict.standsIn(forStatus: status)) }
        for status in [200, 400, 403, 404, 410] { #expect(!Verdict.standsIn(forStatus: status)) }
    }

    @Test func whatWasNotAskedForIsNoAnswer() {
        #expect(Verdict.of(status: 304, .init()) == .refuse)
        #expect(Verdict.of(status: 206, .init()) == .refuse)
        #expect(Verdict.of(status: 304, .init(isConditional: true)) == .accept)
        #expect(Verdict.of(status: 206, .init(asksForRange: true)) == .accept)
    }

    @Test func aConfirmationIsForTheProxyOnlyWhereItAskedForOne() {
        #expect(Verdict.of(status: 304, .init(validates: true)) == .confirm)
    }
}
