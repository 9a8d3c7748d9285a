extension Conformance {
    /// Cache-Control of responses, on storing and confirming: RFC 9111 3, 5.2.2.
    static let responseDirectives = ConformanceGroup(
        "response-directives",
        [
            .asked("private", after: 0, "Cache-Control: private, max-age=3600"),
            .asked("no-store", after: 0, "Cache-Control: no-store"),
            .asked("no-cache", after: 0, "Cache-Control: max-age=10000, no-cache", "Expires: <+10000>", "Date: <+0>"),

            newerUnstorable("an answer that is not stored leaves the older one", "Cache-Control: no-store"),

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
        ])

    /// A client that wants it fresher gets an answer that is not stored; the next one gets the
    /// stored answer.
    private static func newerUnstorable(_ name: String, _ cacheControl: String) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(origin: .ok("Cache-Control: max-age=10000", "Date: <+0>", "A: 1")),
            .pause(seconds: 3),
            .get(sending: "Cache-Control: max-age=1", origin: .ok(cacheControl, "A: 2"), expect: .asked),
            .get(expect: .reused, .field("A: 1")))
    }
}
