import Testing

@testable import Proxy

@Suite struct OriginVerdictTests {
    @Test func aRefusedTokenIsRenewedOnceAndOnlyIfItIsTheProxysOwn() {
        #expect(OriginVerdict.of(status: 401, .init(canRenewToken: true)) == .renewToken)
        #expect(OriginVerdict.of(status: 401, .init()) == .accept)
    }

    @Test func errorsOfTheMomentGiveWayToAStaleAnswer() {
        for status in [429, 500, 502, 503, 504, 599] { #expect(OriginVerdict.standsIn(forStatus: status)) }
        for status in [200, 400, 403, 404, 410] { #expect(!OriginVerdict.standsIn(forStatus: status)) }
    }

    @Test func whatWasNotAskedForIsNoAnswer() {
        #expect(OriginVerdict.of(status: 304, .init()) == .refuse)
        #expect(OriginVerdict.of(status: 206, .init()) == .refuse)
        #expect(OriginVerdict.of(status: 304, .init(isConditional: true)) == .accept)
        #expect(OriginVerdict.of(status: 206, .init(asksForRange: true)) == .accept)
    }

    @Test func aConfirmationIsForTheProxyOnlyWhereItAskedForOne() {
        #expect(OriginVerdict.of(status: 304, .init(validates: true)) == .confirm)
    }
}
