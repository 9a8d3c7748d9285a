import Testing

@testable import refrain

@Suite struct SuggestionTests {
    private func distance(_ first: String, _ second: String) -> Int {
        Suggestion.distance(Array(first.utf8), Array(second.utf8))
    }

    @Test func countsEdits() {
        #expect(distance("listen", "listen") == 0)
        #expect(distance("", "abc") == 3)
        #expect(distance("abc", "") == 3)
        #expect(distance("kitten", "sitting") == 3)
        #expect(distance("lisetn", "listen") == 1, "a swap of neighbours is one edit")
    }

    @Test func namesOnlyWhatIsNear() {
        let names = Directive.table.map(\.name)
        #expect(Suggestion.nearest(to: "upstrem", in: names) == "upstream")
        #expect(Suggestion.nearest(to: "cache-size", in: names) == "cache_size")
        #expect(Suggestion.nearest(to: "worker", in: names) == "workers")
        #expect(Suggestion.nearest(to: "gzip_types", in: names) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "a", count: 10_000), in: names) == nil)
    }
}
