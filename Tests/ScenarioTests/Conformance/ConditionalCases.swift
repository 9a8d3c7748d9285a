extension Conformance {
    /// A client's conditions, and the cache's own: RFC 9111 4.3.1, 4.3.2, RFC 9110 8.8.3, 13.1.
    /// `AnswerFormTests` and `ValidatorsTests` have every form of the fields.
    static let conditions = ConformanceGroup(
        "conditions",
        [
            ConformanceCase(
                "a date that is that of the stored answer",
                .get(origin: .ok("Cache-Control: max-age=100000", "Date: <+0>", "Last-Modified: <-3000>")),
                .get(sending: "If-Modified-Since: <-3000>", expect: .reused, .status(304)),
                .get(sending: "If-Modified-Since: <-4000>", expect: .reused)),
            ConformanceCase(
                "a stale answer is confirmed by its date first",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "Last-Modified: <-3000>")),
                .pause(seconds: 3),
                .get(
                    sending: "If-Modified-Since: <-3000>",
                    origin: .notModified(if: "If-Modified-Since: <-3000>"), expect: .revalidated, .status(304))),
            ConformanceCase(
                "a weak tag for a strong one",
                .get(origin: .ok("Cache-Control: max-age=100000", "Date: <+0>", #"ETag: "abc""#)),
                .get(
                    sending: #"If-None-Match: W/"abc""#, expect: .reused, .status(304), .field(#"ETag: "abc""#)),
                .get(sending: #"If-None-Match: "abd""#, expect: .reused)),
            ConformanceCase(
                "the request fields that Vary names go along",
                .get(sending: "Abc: 1", origin: .ok("Expires: <+1>", "Date: <+0>", #"ETag: "a""#, "Vary: Abc")),
                .pause(seconds: 3),
                .get(
                    sending: "Abc: 1", origin: .notModified(if: #"If-None-Match: "a""#), expect: .revalidated,
                    .sent("Abc: 1"))),
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
        ])

    /// Parts of a stored complete answer: RFC 9110 14, RFC 9111 3.3.
    static let ranges = ConformanceGroup(
        "ranges",
        [
            ConformanceCase(
                "a part has the fields of the stored answer",
                .get(origin: .ok("Cache-Control: max-age=3600", "A: 1", content: digits)),
                .get(
                    sending: "Range: bytes=9-99", origin: .ok("A: 2"), expect: .reused, .status(206), .content("9A"),
                    .field("Content-Range: bytes 9-10/11"), .field("A: 1"))),
            ConformanceCase(
                "a range outside is not satisfied",
                .get(origin: .ok("Cache-Control: max-age=3600", content: digits)),
                .get(
                    sending: "Range: bytes=11-", expect: .proxy, .status(416), .field("Content-Range: bytes */11"))),
            ConformanceCase(
                "If-Range with the stored tag gets the part, and with another everything",
                .get(origin: .ok("Cache-Control: max-age=3600", #"ETag: "a""#, content: digits)),
                .get(
                    sending: "Range: bytes=0-1", #"If-Range: "a""#, expect: .reused, .status(206), .content("01")),
                .get(sending: "Range: bytes=0-1", #"If-Range: "b""#, expect: .reused)),
        ])

    private static let digits = "0123456789A"
}
