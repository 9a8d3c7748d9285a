extension Conformance {
    /// A 304 or an answer to HEAD updates the stored answer, but not the fields that describe the
    /// stored bytes: RFC 9111 3.2, 4.3.4, 4.3.5.
    static let updates: [ConformanceCase] = [
        ConformanceCase(
            "Cache-Control counts from the 304",
            .get(origin: .ok("Cache-Control: max-age=1", #"ETag: "a""#, "Date: <+0>")),
            .pause(seconds: 3),
            .get(
                origin: .notModified(
                    if: #"If-None-Match: "a""#, #"ETag: "a""#, "Cache-Control: max-age=3600", "Date: <+3>"),
                expect: .revalidated, .field("Cache-Control: max-age=3600")),
            .pause(seconds: 3000),
            .get(expect: .freshened, .field("Cache-Control: max-age=3600"), .field("Date: <+3>"), .age(3000))),
        // RFC 9111 4.3.4: another strong validator is that of another representation.
        ConformanceCase(
            "a 304 with another strong tag updates nothing",
            .get(origin: .ok("Cache-Control: max-age=2", #"ETag: "a""#, "Date: <+0>")),
            .pause(seconds: 3),
            .get(
                origin: .notModified(if: #"If-None-Match: "a""#, #"ETag: "b""#, "Cache-Control: max-age=3600"),
                expect: .askedAnew)),
        ConformanceCase(
            "HEAD brings freshness",
            .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "A: 1", content: "same")),
            .pause(seconds: 3),
            .send("HEAD", origin: .ok("Cache-Control: max-age=1000", content: "same"), expect: .asked, .method("HEAD")),
            .get(expect: .freshened, .field("A: 1"), .field("Cache-Control: max-age=1000"))),
        ConformanceCase(
            "HEAD of another length makes stale",
            .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", content: "same")),
            .pause(seconds: 3),
            .send("HEAD", origin: .ok("Cache-Control: max-age=1000", content: "longer"), expect: .asked),
            .get(expect: .asked)),
    ]
}
