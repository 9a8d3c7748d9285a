extension Conformance {
    /// Freshness that the cache guesses, a tenth of the time since the last change: RFC 9111 4.2.2,
    /// RFC 9110 15.1.
    static let heuristic = ConformanceGroup(
        "heuristic",
        [200, 203, 204, 404, 405, 410, 414, 501].map { status in
            ConformanceCase.reused("\(status)", after: 0, status: status, "Last-Modified: <-86400>", "Date: <+0>")
        }
            + [201, 202, 403, 502, 503, 504, 599].map { status in
                ConformanceCase.asked("\(status)", after: 0, status: status, "Last-Modified: <-86400>", "Date: <+0>")
            }
            + [
                ConformanceCase.reused(
                    "599 that is public", after: 0, status: 599, "Cache-Control: public", "Last-Modified: <-86400>",
                    "Date: <+0>")
            ]
            + [5, 10, 30].map { seconds in
                ConformanceCase.asked("changed \(seconds) seconds ago", "Last-Modified: <-\(seconds)>", "Date: <+0>")
            }
            + [60, 300, 600, 1200, 1800, 3600, 43_200, 86_400].map { seconds in
                ConformanceCase.reused("changed \(seconds) seconds ago", "Last-Modified: <-\(seconds)>", "Date: <+0>")
            })
}
