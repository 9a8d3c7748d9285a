import Testing

@testable import Freshness

@Suite struct ReasonTests {
    @Test func everyReasonHasItsOwnWord() {
        let words = Reason.allCases.map(\.text)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    }
}
