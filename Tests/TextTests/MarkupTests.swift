import Testing
import Text

@Suite struct MarkupTests {
    @Test func whatHasAMeaningInMarkupIsEscaped() {
        #expect(Markup.escaped("a<b>&\"c'd\"") == "a&lt;b&gt;&amp;&quot;c&#39;d&quot;")
        // A mark that combines with the bracket makes one character of both.
        #expect(Markup.escaped("<\u{338}") == "&lt;\u{338}")
    }

    @Test func onlyWhatIsKeptStandsForItselfInAnAddress() {
        #expect(Markup.percentEncoded("aZ09-._~/ é\u{1}") == "aZ09-._~%2F%20%C3%A9%01")
        #expect(Markup.percentEncoded("[`{@/:,", keeping: "/:,") == "%5B%60%7B%40/:,")
    }
}
