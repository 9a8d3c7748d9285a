extension Conformance {
    /// A 304 updates the stored answer, but not the fields that describe the stored bytes: RFC 9111
    /// 3.2, 4.3.4.
    static let freshening = ConformanceGroup(
        "freshening",
        [
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
            // RFC 9111 4.3.4: a strong validator that is not the stored one's speaks of something
            // else.
            ConformanceCase(
                "a 304 with another strong tag updates nothing",
                .get(origin: .ok("Cache-Control: max-age=2", #"ETag: "a""#, "Date: <+0>")),
                .pause(seconds: 3),
                .get(
                    origin: .notModified(if: #"If-None-Match: "a""#, #"ETag: "b""#, "Cache-Control: max-age=3600"),
                    expect: .askedAnew)),
        ])
}
