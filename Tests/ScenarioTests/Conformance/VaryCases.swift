extension Conformance {
    /// Which stored answer is for which request: RFC 9111 4.1. `VariantIndexTests` has every
    /// form of the fields.
    static let vary = ConformanceGroup(
        "vary",
        [
            ConformanceCase(
                "two variants are kept",
                .get(
                    sending: "Foo: 1", origin: varying("Foo"), expect: .asked,
                    .field("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; stored; ttl=5000")),
                .get(
                    sending: "Foo: 2", origin: varying("Foo"), expect: .asked,
                    .field("Cache-Status: refrain; fwd=vary-miss; fwd-status=200; stored; ttl=5000")),
                .get(sending: "Foo: 1", "Other: 3", expect: .reused),
                .get(sending: "Foo: 2", expect: .stored(2)),
                .get(expect: .asked)),
            ConformanceCase(
                "two lines are one list",
                .get(sending: "Foo: 1, 2", origin: varying("Foo")),
                .get(sending: "Foo: 1", "Foo: 2", expect: .reused)),
            ConformanceCase(
                "the language that is liked best",
                .get(sending: "Accept-Language: en, de", origin: varying("Accept-Language", "Content-Language: de")),
                .get(sending: "Accept-Language: de, en", expect: .reused),
                .get(sending: "Accept-Language: fr;q=0.5, de;q=1.0", expect: .reused),
                .get(sending: "Accept-Language: fr, de;q=0.5", expect: .asked)),
            ConformanceCase(
                "anything",
                .get(sending: "Foo: 1", origin: varying("*")),
                .get(sending: "Foo: 1", expect: .asked)),
        ])

    /// A response that is chosen by these request fields.
    private static func varying(_ names: String, _ more: String...) -> OriginAnswer {
        var answer = OriginAnswer.ok(
            "Cache-Control: max-age=5000", "Last-Modified: <-3000>", "Date: <+0>", "Vary: \(names)")
        answer.fields += more
        return answer
    }
}
