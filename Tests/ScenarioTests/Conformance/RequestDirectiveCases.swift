extension Conformance {
    /// Cache-Control of requests: RFC 9111 5.2.1. Next to it Pragma is ignored (5.4).
    static let requestDirectives: [ConformanceCase] = [
        wants("max-age of nothing", "max-age=0", of: ["Cache-Control: max-age=100000"], after: 3, expect: .asked),
        wants("max-stale", "max-stale=1000", of: ["Cache-Control: max-age=2"], after: 3, expect: .reused),
        wants(
            "max-stale against must-revalidate", "max-stale=1000",
            of: ["Cache-Control: max-age=2, must-revalidate"], after: 3, expect: .asked),
        wants("no-cache", "no-cache", of: ["Cache-Control: max-age=3600"], expect: .asked),
        wants("no-store", "no-store", of: ["Cache-Control: max-age=100000"], after: 3, expect: .asked),
        ConformanceCase(
            "no-cache asks by date",
            .get(origin: .ok("Cache-Control: max-age=3600", "Last-Modified: <-10000>", "Date: <+0>")),
            .get(
                sending: "Cache-Control: no-cache", origin: .notModified(if: "If-Modified-Since: <-10000>"),
                expect: .revalidated)),
        ConformanceCase(
            "no-cache asks by tag",
            .get(origin: .ok("Cache-Control: max-age=3600", #"ETag: "a""#)),
            .get(
                sending: "Cache-Control: no-cache", origin: .notModified(if: #"If-None-Match: "a""#),
                expect: .revalidated)),
        ConformanceCase(
            "no-store stores nothing",
            .get(sending: "Cache-Control: no-store", origin: .ok("Cache-Control: max-age=3600")),
            .get(expect: .asked)),
        ConformanceCase(
            "only-if-cached of nothing is 504",
            .get(sending: "Cache-Control: only-if-cached", expect: .proxy, .status(504))),
        ConformanceCase(
            "Pragma beside Cache-Control",
            .get(origin: .ok("Cache-Control: max-age=100000")),
            .get(sending: "Pragma: no-cache", "Cache-Control: whatever", expect: .reused)),
    ]

    private static func wants(
        _ name: String, _ directive: String, of fields: [String], after seconds: Int = 0, expect source: Source
    ) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(origin: OriginAnswer(fields: fields + ["Date: <+0>"])),
            .pause(seconds: seconds),
            .get(sending: "Cache-Control: \(directive)", expect: source))
    }
}
