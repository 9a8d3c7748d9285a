extension Conformance {
    /// Which stored answer is for which request: RFC 9111 4.1.
    static let vary = ConformanceGroup(
        "vary",
        [
            varies("the same value", by: "Foo", "Foo: 1", then: "Foo: 1", expect: .reused),
            varies("another value", by: "Foo", "Foo: 1", then: "Foo: 2", expect: .asked),
            varies("a field that the first request had not", by: "Foo", nil, then: "Foo: 1", expect: .asked),
            varies("a field that is missing now", by: "Foo", "Foo: 1", then: nil, expect: .asked),
            ConformanceCase(
                "two variants are kept",
                .get(
                    sending: "Foo: 1", origin: varying("Foo"), expect: .asked,
                    .field("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; stored; ttl=5000")),
                .get(
                    sending: "Foo: 2", origin: varying("Foo"), expect: .asked,
                    .field("Cache-Status: refrain; fwd=vary-miss; fwd-status=200; stored; ttl=5000")),
                .get(sending: "Foo: 1", expect: .reused),
                .get(sending: "Foo: 2", expect: .reused(from: 2))),
            ConformanceCase(
                "fields that are not named do not count",
                .get(sending: "Foo: 1", "Other: 2", origin: varying("Foo")),
                .get(sending: "Foo: 1", "Other: 3", expect: .reused)),
            ConformanceCase(
                "two fields, one different",
                .get(sending: "Foo: 1", "Bar: a", origin: varying("Foo, Bar")),
                .get(sending: "Foo: 2", "Bar: a", expect: .asked)),
            ConformanceCase(
                "two lines are one list",
                .get(sending: "Foo: 1, 2", origin: varying("Foo")),
                .get(sending: "Foo: 1", "Foo: 2", expect: .reused)),
            varies(
                "languages in another order", by: language, "Accept-Language: en, de", then: "Accept-Language: de, en"),
            ConformanceCase(
                "the language that is liked best",
                .get(sending: "Accept-Language: en, de", origin: varying(language, "Content-Language: de")),
                .get(sending: "Accept-Language: fr;q=0.5, de;q=1.0", expect: .reused)),
            ConformanceCase(
                "a language that another is liked better than",
                .get(sending: "Accept-Language: en, de", origin: varying(language, "Content-Language: de")),
                .get(sending: "Accept-Language: fr, de;q=0.5", expect: .asked)),
            varies("anything", by: "*", "Foo: 1", then: "Foo: 1", expect: .asked),
        ])

    private static let language = "Accept-Language"

    /// A response that is chosen by these request fields.
    private static func varying(_ names: String, _ more: String...) -> OriginAnswer {
        var answer = OriginAnswer.ok(
            "Cache-Control: max-age=5000", "Last-Modified: <-3000>", "Date: <+0>", "Vary: \(names)")
        answer.fields += more
        return answer
    }

    private static func varies(
        _ name: String, by names: String, _ first: String?, then second: String?, expect source: Source = .reused
    ) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(sending: first.map { [$0] } ?? [], origin: varying(names)),
            .get(sending: second.map { [$0] } ?? [], expect: source))
    }
}
