extension Conformance {
    /// Cache-Control of responses, on storing and confirming: RFC 9111 3, 5.2.2.
    static let responseDirectives: [ConformanceCase] = [
        ConformanceCase(
            "private is stored for nobody", .get(origin: .ok("Cache-Control: private, max-age=3600")),
            .get(expect: .asked)),
        // A fresher answer that is not stored leaves the stored one to the next client.
        ConformanceCase(
            "an answer that is not stored leaves the older one",
            .get(origin: .ok("Cache-Control: max-age=10000", "Date: <+0>", "A: 1")),
            .pause(seconds: 3),
            .get(sending: "Cache-Control: max-age=1", origin: .ok("Cache-Control: no-store", "A: 2")),
            .get(expect: .reused, .field("A: 1"))),
        ConformanceCase(
            "no-cache is stored, and confirmed before each use",
            .get(origin: .ok("Cache-Control: no-cache", #"ETag: "a""#)),
            .get(origin: .notModified(if: #"If-None-Match: "a""#), expect: .revalidated)),
        ConformanceCase(
            "no-cache with the names of fields counts as without them",
            .get(origin: .ok(#"Cache-Control: no-cache="a", max-age=3600"#, "A: 1", #"ETag: "a""#)),
            .get(origin: .notModified(if: #"If-None-Match: "a""#), expect: .revalidated, .field("A: 1"))),

        ConformanceCase(
            "must-revalidate is confirmed when stale",
            .get(origin: .ok("Cache-Control: max-age=2, must-revalidate", #"ETag: "a""#)),
            .get(expect: .reused),
            .pause(seconds: 3),
            .get(origin: .notModified(if: #"If-None-Match: "a""#), expect: .revalidated)),
    ]
}
