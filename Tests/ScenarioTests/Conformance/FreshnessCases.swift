extension Conformance {
    /// How long a response is fresh: RFC 9111 4.2. `ReuseTests` has every form of the fields; here
    /// they come from the origin's head to the answer.
    static let freshness = ConformanceGroup(
        "freshness",
        [
            .asked("nothing that says how long"),
            .asked("max-age that is just over", after: 3, "Cache-Control: max-age=3"),
            .reused("max-age with a second to go", after: 3, "Cache-Control: max-age=4"),
            .asked("an Age above max-age", "Cache-Control: max-age=3600", "Age: 7200", "Date: <+0>"),
            .asked("a Date longer ago than max-age", "Cache-Control: max-age=3600", "Date: <-7200>"),
            .asked(
                "a shorter s-maxage on a line of its own", "Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"),
            .reused("s-maxage over everything", "Cache-Control: max-age=0, s-maxage=3600", "Expires: <-10>"),
            .reused("Expires", "Expires: <+2592000>", "Date: <+0>"),
            .asked("Expires in the past", after: 0, "Expires: <-2592000>", "Date: <+0>"),
            .reused("a tenth of the time since the last change", "Last-Modified: <-86400>", "Date: <+0>"),
            .asked("a change ten seconds ago", "Last-Modified: <-10>", "Date: <+0>"),
        ])

    /// Every final status with explicit freshness is stored, known or not: RFC 9111 3.
    static let status = ConformanceGroup(
        "status",
        [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599].map {
            ConformanceCase.reused("\($0) that is fresh", status: $0, "Cache-Control: max-age=100000", "Date: <+0>")
        })
}
