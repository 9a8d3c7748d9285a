import Testing
import Text

@Suite struct CaseWordsTests {
    private enum Sample: Int, CaseIterable {
        case plain, pageNotHeld, http2Requests, tooManyIDs
    }

    @Test func wordsAreTheNamesInParts() {
        let (dashed, snake) = (CaseWords<Sample>(separator: "-"), CaseWords<Sample>(separator: "_"))
        #expect(Sample.allCases.map { dashed[$0] } == ["plain", "page-not-held", "http2-requests", "too-many-ids"])
        #expect(Sample.allCases.map { snake[$0] } == ["plain", "page_not_held", "http2_requests", "too_many_ids"])
        for value in Sample.allCases { #expect(dashed.find(dashed[value]) == value) }
        for other in ["", "Plain", "pageNotHeld", "page-not"] { #expect(dashed.find(other) == nil) }
    }
}
