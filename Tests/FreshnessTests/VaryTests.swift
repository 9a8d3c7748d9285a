import Testing

@testable import Freshness

@Suite struct VaryTests {
    private func vary(_ lines: String...) -> ResponseFacts.Vary {
        var vary = ResponseFacts.Vary()
        for line in lines { vary.merge(Array(line.utf8).span) }
        return vary
    }

    private func names(_ vary: ResponseFacts.Vary) -> String { String(decoding: vary.names, as: UTF8.self) }

    @Test func theSameNamesAreTheSameInAnyOrderCaseAndNumberOfLines() {
        #expect(names(vary("Foo, BAR, foo")) == "bar,foo")
        #expect(vary("Foo, Bar") == vary("bar", "", "FOO"))
        #expect(vary("Foo") != vary("Foo, Bar"))
        #expect(vary("") == ResponseFacts.Vary() && vary(" , ") == ResponseFacts.Vary())
    }

    @Test func fieldsThatNoSharedRequestCarriesAreLeftOut() {
        #expect(names(vary("Accept-Encoding, Foo, Origin, cookie, MUSIC-USER-TOKEN, Host")) == "foo")
        #expect(!vary("Accept-Encoding").isUnbounded)
    }

    @Test(arguments: ["*", "Foo, *", "*, Foo", ", *", "Authorization", "foo bar", "Foo;q=1", "\"Foo\"", "Fo\u{E9}"])
    func fieldsThatNoKeyCanHoldAreUnbounded(line: String) {
        #expect(vary(line).isUnbounded && vary("Foo", line).isUnbounded && vary(line, "Foo").isUnbounded)
    }

    @Test func namesAreBounded() {
        let most = (0..<16).map { "X-\($0)" }.joined(separator: ",")
        #expect(!vary(most).isUnbounded && vary(most, "X-16").isUnbounded)
        let long = String(repeating: "a", count: 512)
        #expect(!vary(long).isUnbounded && vary(long, "b").isUnbounded && vary(long + "a").isUnbounded)
    }
}
