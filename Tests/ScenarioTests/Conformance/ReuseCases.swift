extension Conformance {
    /// Age, Date, the key, and what does not keep from reuse: RFC 9111 2, 4, 5.1, RFC 9110 6.6.1.
    static let reuse = ConformanceGroup(
        "reuse",
        [
            ConformanceCase(
                "adds to an Age that came with max-age",
                .get(origin: .ok("Cache-Control: max-age=100000", "Date: <+0>", "Age: 30")),
                .pause(seconds: 3),
                .get(expect: .reused, .age(33))),
            ConformanceCase(
                "counts the time that the answer took",
                .get(origin: .ok("Cache-Control: max-age=100000", "Age: 30").after(milliseconds: 1100)),
                .get(expect: .reused, .ageAtLeast(31))),
            // RFC 9111 3.5.
            ConformanceCase(
                "is not for others than the one that had to prove who it is",
                .get(
                    sending: "Authorization: FOO", origin: .ok("Cache-Control: max-age=3600", "Date: <+0>"),
                    expect: .asked, .sent("Authorization: FOO")),
                .get(expect: .asked)),
        ])
}
