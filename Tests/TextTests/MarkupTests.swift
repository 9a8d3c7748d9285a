import Testing
import Text

@Suite struct MarkupTests {
    @Test func markupCharactersAreEscaped() {
        #expect(Markup.escaped("a<b>&\"c'd\"") == "a&lt;b&gt;&amp;&quot;c&#39;d&quot;")
        // A mark that combines with the bracket makes one character of both.
        #expect(Markup.escaped("<\u{338}") == "&lt;\u{338}")
    }
}
