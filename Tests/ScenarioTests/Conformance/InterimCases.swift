extension Conformance {
    /// Interim responses are passed on and never stored: RFC 9110 15.2, RFC 8297.
    static let interim = ConformanceGroup(
        "interim",
        [
            ConformanceCase(
                "fields of two interim responses are not those of the final one",
                .get(
                    origin: .ok("Cache-Control: max-age=100000").after(interim: 102)
                        .after(interim: 103, "X-My-Header: early"),
                    expect: .asked, .interim([102, 103]), .noField("X-My-Header")),
                .pause(seconds: 3),
                .get(expect: .reused, .interim([]), .noField("X-My-Header")))
        ])
}
