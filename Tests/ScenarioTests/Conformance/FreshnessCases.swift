extension Conformance {
    /// How long a response is fresh, and its age: RFC 9111 3.5, 4.2, 5.1, RFC 9213 2.
    /// `RFC9111Tests` has every form of the fields and every status; here they come from the
    /// origin's head to the answer.
    static let freshness: [ConformanceCase] =
        [
            .asked("max-age that is just over", after: 3, "Cache-Control: max-age=3"),
            .asked("an Age above max-age", "Cache-Control: max-age=3600", "Age: 7200", "Date: <+0>"),
            .asked(
                "a shorter s-maxage on a line of its own", "Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"),
            .reused("CDN-Cache-Control first", "CDN-Cache-Control: max-age=10000", "Cache-Control: no-store"),
            .reused("Expires", "Expires: <+2592000>", "Date: <+0>"),
            .reused("a tenth of the time since the last change", "Last-Modified: <-86400>", "Date: <+0>"),
            ConformanceCase(
                "an Age that came with max-age is added to",
                .get(origin: .ok("Cache-Control: max-age=100000", "Date: <+0>", "Age: 30")),
                .pause(seconds: 3),
                .get(expect: .reused, .age(33))),
            ConformanceCase(
                "the time that the answer took counts",
                .get(origin: .ok("Cache-Control: max-age=100000", "Age: 30").after(milliseconds: 1100)),
                .get(expect: .reused, .ageAtLeast(31))),
            ConformanceCase(
                "an answer to one that had to prove who it is",
                .get(
                    sending: "Authorization: FOO", origin: .ok("Cache-Control: max-age=3600", "Date: <+0>"),
                    expect: .asked, .sent("Authorization: FOO")),
                .get(expect: .asked)),
        ]
        + [204, 301, 404, 503, 599].map {
            ConformanceCase.reused("\($0) that is fresh", status: $0, "Cache-Control: max-age=100000", "Date: <+0>")
        }
}
