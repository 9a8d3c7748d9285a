extension Conformance {
    /// Which stored answer is for which request, and conditions of the client and the cache: RFC
    /// 9111 4.1, 4.3.1, 4.3.2, RFC 9110 8.8.3, 13.1. `VariantIndexTests`, `AnswerFormTests` and
    /// `ValidatorsTests` have every form of the fields.
    static let selection: [ConformanceCase] = [
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
            "Vary names everything",
            .get(sending: "Foo: 1", origin: varying("*")),
            .get(sending: "Foo: 1", expect: .asked)),
        ConformanceCase(
            "a stale answer is confirmed by its date first",
            .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "Last-Modified: <-3000>")),
            .pause(seconds: 3),
            .get(
                sending: "If-Modified-Since: <-3000>",
                origin: .notModified(if: "If-Modified-Since: <-3000>"), expect: .revalidated, .status(304))),
        ConformanceCase(
            "a weak tag for a strong one",
            .get(origin: .ok("Cache-Control: max-age=100000", "Date: <+0>", #"ETag: "abc""#)),
            .get(sending: #"If-None-Match: W/"abc""#, expect: .reused, .status(304), .field(#"ETag: "abc""#)),
            .get(sending: #"If-None-Match: "abd""#, expect: .reused)),
        ConformanceCase(
            "the request fields that Vary names go along",
            .get(sending: "Abc: 1", origin: .ok("Expires: <+1>", "Date: <+0>", #"ETag: "a""#, "Vary: Abc")),
            .pause(seconds: 3),
            .get(
                sending: "Abc: 1", origin: .notModified(if: #"If-None-Match: "a""#), expect: .revalidated,
                .sent("Abc: 1"))),
        // With nothing stored, the origin may answer the condition or the cache may.
        ConformanceCase(
            "a condition that is met when nothing is stored",
            .get(
                sending: #"If-None-Match: "abc""#,
                origin: .notModified(if: #"If-None-Match: "abc""#, #"ETag: "abc""#, "Date: <+0>"),
                expect: .asked, .status(304))),
    ]

    /// A response that is chosen by this request field.
    private static func varying(_ name: String) -> OriginAnswer {
        .ok("Cache-Control: max-age=5000", "Last-Modified: <-3000>", "Date: <+0>", "Vary: \(name)")
    }
}
