extension Conformance {
    /// A 304 updates the stored answer, but not the fields that describe the stored bytes: RFC 9111
    /// 3.2, 4.3.4.
    static let freshening = ConformanceGroup(
        "freshening",
        [
            freshened("updates a field", "Test-Header: a", "Test-Header: b", expect: "Test-Header: b"),
            // How the stored bytes are counted is not for a 304 to say.
            freshened(
                "leaves Content-Length", "Content-Length: 4", "Content-Length: 10", expect: "Content-Length: 4",
                content: "four"),
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

    /// Stored with one line, confirmed with another, and reused.
    private static func freshened(
        _ name: String, _ old: String, _ new: String, expect line: String, content: String? = nil
    ) -> ConformanceCase {
        let control = "Cache-Control: max-age=2"
        return ConformanceCase(
            name,
            .get(origin: .ok(old, control, #"ETag: "a""#, "Date: <+0>", content: content)),
            .pause(seconds: 3),
            .get(
                origin: .notModified(if: #"If-None-Match: "a""#, new, control, #"ETag: "a""#, "Date: <+3>"),
                expect: .revalidated, .field(line)),
            .get(expect: .freshened, .field(line), .field("Date: <+3>")))
    }
}
