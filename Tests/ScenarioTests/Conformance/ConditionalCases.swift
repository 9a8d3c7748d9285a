extension Conformance {
    /// A client's If-Modified-Since: RFC 9111 4.3.2, RFC 9110 13.1.3.
    static let modifiedSince = ConformanceGroup(
        "if-modified-since",
        [
            sinceModified("the same date", "If-Modified-Since: <-3000>", .status(304)),
            sinceModified("an earlier date", "If-Modified-Since: <-4000>", .status(200)),
            ConformanceCase(
                "a stale answer is confirmed first",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "Last-Modified: <-3000>")),
                .pause(seconds: 3),
                .get(
                    sending: "If-Modified-Since: <-3000>",
                    origin: .notModified(if: "If-Modified-Since: <-3000>"), expect: .revalidated, .status(304))),
        ])

    private static func sinceModified(_ name: String, _ condition: String, _ status: Detail) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(origin: .ok("Cache-Control: max-age=100000", "Date: <+0>", "Last-Modified: <-3000>")),
            .pause(seconds: 3),
            .get(sending: condition, expect: .reused, status))
    }

    /// A client's If-None-Match, and the cache's own: RFC 9111 4.3.1, 4.3.2, RFC 9110 8.8.3,
    /// 13.1.2.
    static let noneMatch = ConformanceGroup(
        "if-none-match",
        [
            matching("a strong tag", #""abc""#, #""abc""#),
            matching("a weak tag", #"W/"abc""#, #"W/"abc""#),
            matching("a weak tag for a strong one", #""abc""#, #"W/"abc""#),
            matching("any", #""abc""#, "*"),

            ConformanceCase(
                "another tag",
                .get(origin: fresh(#""abc""#)),
                .pause(seconds: 3),
                .get(sending: #"If-None-Match: "abd""#, expect: .reused)),
            // The origin is never asked with a value that is no entity tag.
            ConformanceCase(
                "a tag without quotes confirms nothing",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "ETag: abc")),
                .pause(seconds: 3),
                .get(expect: .asked, .notSent("If-None-Match"))),

            ConformanceCase(
                "the request fields that Vary names go along",
                .get(sending: "Abc: 1", origin: .ok("Expires: <+1>", "Date: <+0>", #"ETag: "a""#, "Vary: Abc")),
                .pause(seconds: 3),
                .get(
                    sending: "Abc: 1", origin: .notModified(if: #"If-None-Match: "a""#), expect: .revalidated,
                    .sent("Abc: 1"))),
            ConformanceCase(
                "a stale answer is confirmed by a strong tag",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", #"ETag: "abc""#)),
                .pause(seconds: 3),
                .get(origin: .notModified(if: #"If-None-Match: "abc""#), expect: .revalidated)),
            ConformanceCase(
                "a stale answer is confirmed by a weak tag",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", #"ETag: W/"abc""#)),
                .pause(seconds: 3),
                .get(origin: .notModified(if: #"If-None-Match: W/"abc""#), expect: .revalidated)),

            // With nothing stored, the origin may answer the condition or the cache may.
            ConformanceCase(
                "a condition that is met when nothing is stored",
                .get(
                    sending: #"If-None-Match: "abc""#,
                    origin: .notModified(if: #"If-None-Match: "abc""#, #"ETag: "abc""#, "Date: <+0>"),
                    expect: .asked, .status(304))),
            ConformanceCase(
                "a condition that is none when nothing is stored",
                .get(sending: "If-None-Match: abc", origin: .ok(#"ETag: "abc""#, "Date: <+0>"), expect: .asked)),
        ])

    private static func fresh(_ tag: String) -> OriginAnswer {
        .ok("Cache-Control: max-age=100000", "Date: <+0>", "ETag: \(tag)")
    }

    private static func matching(_ name: String, _ tag: String, _ condition: String) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(origin: fresh(tag)),
            .pause(seconds: 3),
            .get(sending: "If-None-Match: \(condition)", expect: .reused, .status(304), .field("ETag: \(tag)")))
    }
}
