import Testing

@testable import refrain

@Suite struct SuggestionTests {
    @Test func namesOnlyWhatIsNear() {
        let names = Directive.table.map(\.name)
        #expect(Suggestion.nearest(to: "upstrem", in: names) == "upstream")
        #expect(Suggestion.nearest(to: "cache-size", in: names) == "cache_size")
        #expect(Suggestion.nearest(to: "worker", in: names) == "workers")
        #expect(Suggestion.nearest(to: "gzip_types", in: names) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "a", count: 10_000), in: names) == nil)
    }
}
