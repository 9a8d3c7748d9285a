extension Conformance {
    /// Answers to requests with credentials, in a shared cache: RFC 9111 3.5.
    static let authorization = ConformanceGroup(
        "authorization",
        [
            authorized("an answer that says nothing of sharing", "Cache-Control: max-age=3600", expect: .asked),
            authorized("public", "Cache-Control: max-age=3600, public", expect: .reused),
            authorized("must-revalidate", "Cache-Control: max-age=3600, must-revalidate", expect: .reused),
            authorized("s-maxage", "Cache-Control: s-maxage=3600", expect: .reused),
        ])

    private static func authorized(
        _ name: String, _ cacheControl: String, expect source: Source
    ) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(
                sending: "Authorization: FOO", origin: .ok(cacheControl, "Date: <+0>"), expect: .asked,
                .sent("Authorization: FOO")),
            .pause(seconds: 3),
            .get(expect: source))
    }
}
