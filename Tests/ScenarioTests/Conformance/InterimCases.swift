extension Conformance {
    /// Interim responses are passed on and never stored: RFC 9110 15.2, RFC 8297.
    static let interim = ConformanceGroup(
        "interim",
        [
            passed("102", .ok("Cache-Control: max-age=100000").after(interim: 102), [102]),
            passed("103", .ok("Cache-Control: max-age=100000").after(interim: 103, "Link: </a>; rel=preload"), [103]),
            passed(
                "two of them",
                .ok("Cache-Control: max-age=100000").after(interim: 102).after(interim: 103, "Link: </a>; rel=preload"),
                [102, 103]),
            ConformanceCase(
                "fields of an interim response are not those of the final one",
                .get(
                    origin: .ok("Cache-Control: max-age=100000").after(interim: 103, "X-My-Header: early"),
                    expect: .asked, .interim([103]), .noField("X-My-Header")),
                .pause(seconds: 3),
                .get(expect: .reused, .interim([]), .noField("X-My-Header"))),
        ])

    private static func passed(_ name: String, _ answer: OriginAnswer, _ statuses: [Int]) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(origin: answer, expect: .asked, .interim(statuses)),
            .pause(seconds: 3),
            .get(expect: .reused, .interim([])))
    }
}
