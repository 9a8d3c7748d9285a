import Testing
import Text

@Suite struct JSONComparisonTests {
    private func areEqual(_ one: String, _ other: String) -> Bool {
        JSON.areEqual(Array(one.utf8), Array(other.utf8))
    }

    @Test func orderOfMembersAndSpellingOfStringsDoNotCount() {
        #expect(areEqual(#"{"a":1,"b":[{"c":"é","d":null}]}"#, #" { "b" : [ {"d":null,"c":"\u00e9"} ], "a":1 } "#))
    }

    @Test func everythingElseCounts() {
        for (one, other) in [
            ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("{\"a\":1}", "{\"a\":1,\"b\":1}"), ("{\"a\":1}", "{\"b\":1}"),
            ("1", "1.0"),
            ("null", "false"), ("\"a\"", "\"b\""), ("{}", "[]"),
        ] {
            #expect(!areEqual(one, other) && !areEqual(other, one), "\(one) \(other)")
        }
    }

    @Test func whatIsNoJSONEqualsNothing() {
        #expect(!areEqual("{", "{"))
    }
}
