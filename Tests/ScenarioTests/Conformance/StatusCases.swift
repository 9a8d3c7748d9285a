extension Conformance {
    /// Every final status with explicit freshness is stored, known or not: RFC 9111 3, 5.2.2.3.
    static let status = ConformanceGroup(
        "status",
        statuses.map {
            ConformanceCase.reused("\($0) that is fresh", status: $0, "Cache-Control: max-age=100000", "Date: <+0>")
        }
            + statuses.map {
                ConformanceCase.asked(
                    "\($0) that is stale", status: $0, "Expires: <-5000>", "Last-Modified: <-100000>", "Date: <+0>")
            }
            + [
                .asked(
                    "must-understand of an unknown status", after: 0, status: 599,
                    "Cache-Control: max-age=3600, no-store, must-understand"),
                .reused(
                    "must-understand of a known status", after: 0,
                    "Cache-Control: max-age=3600, no-store, must-understand"),
            ])

    private static let statuses = [
        200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599,
    ]
}
