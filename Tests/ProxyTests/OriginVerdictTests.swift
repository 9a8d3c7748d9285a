import Testing

@testable import Proxy

@Suite struct OriginVerdictTests {
    @Test func errorsOfTheMomentGiveWayToAStaleAnswer() {
        for status in [429, 500, 502, 503, 504, 599] { #expect(OriginVerdict.standsIn(forStatus: status)) }
        for status in [200, 400, 403, 404, 410] { #expect(!OriginVerdict.standsIn(forStatus: status)) }
    }
}
