extension Conformance {
    /// Stale answers: RFC 9111 4.2.4, RFC 5861; `Warning` is no more (RFC 9111 5.5).
    static let stale: [ConformanceCase] = [
        standsIn("for an origin that hangs up", .hangsUp, ""),
        standsIn("for an origin that is overloaded", .answer(503), "fwd-status=503; "),
        ConformanceCase(
            "does not stand in against must-revalidate",
            .get(origin: .ok("Cache-Control: max-age=2, must-revalidate", "Date: <+0>")),
            .pause(seconds: 3),
            .get(origin: .hangsUp, expect: .failed)),
        ConformanceCase(
            "stale-while-revalidate answers at once",
            .get(origin: .ok("Cache-Control: max-age=1, stale-while-revalidate=3600", #"ETag: "a""#)),
            .pause(seconds: 3),
            .get(origin: .notModified(if: #"If-None-Match: "a""#), expect: .reusedWhileAsked)),
        ConformanceCase(
            "stale-while-revalidate does not bind an answer that came behind it",
            .get(origin: .ok("Cache-Control: max-age=1, stale-while-revalidate=4", #"ETag: "a""#)),
            .pause(seconds: 3),
            .get(origin: .ok("Cache-Control: no-cache", #"ETag: "b""#), expect: .reusedWhileAsked),
            .pause(seconds: 3),
            .get(expect: .asked)),
    ]

    private static func standsIn(_ name: String, _ failure: OriginAnswer, _ told: String) -> ConformanceCase {
        ConformanceCase(
            "stands in " + name,
            .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>")),
            .pause(seconds: 3),
            .get(
                origin: failure, expect: .reusedStale, .noField("Warning"), .age(3),
                .field("Cache-Status: refrain; fwd=stale; \(told)detail=stale-if-error")))
    }
}
