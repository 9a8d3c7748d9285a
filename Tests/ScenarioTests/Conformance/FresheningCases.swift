extension Conformance {
    /// A 304 updates what is stored, but not what describes the stored bytes: RFC 9111 3.2, 4.3.4.
    static let freshening = ConformanceGroup(
        "freshening",
        [
            ConformanceCase(
                "a field that the 304 leaves out stays",
                .get(origin: .ok("Cache-Control: max-age=2", "Last-Modified: <-3000>", "Date: <+0>", "Test-Header: a")),
                .pause(seconds: 3),
                .get(
                    origin: .notModified(if: "If-Modified-Since: <-3000>", "Date: <+3>"), expect: .revalidated,
                    .field("Test-Header: a"), .field("Last-Modified: <-3000>"))),
            updated("Test-Header", "a", "b"),
            updated("X-Test-Header", "a", "b"),
            updated("Content-Foo", "a", "b"),
            updated("X-Content-Foo", "a", "b"),
            updated("Content-Location", "/foo", "/bar"),
            updated("Content-MD5", "Q2hlY2sgSW50ZWdyaXR5IQ==", "bm90IHRoZSBzYW1lIHRoaW5nIQ=="),
            updated("Content-Security-Policy", "default-src 'self'", "default-src 'self' example.com"),
            updated("Content-Type", "text/plain", "text/plain;charset=utf-8"),
            updated("Clear-Site-Data", "cache", "cookies"),
            updated("Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"),
            updated("Public-Key-Pins", "a", "b"),
            updated("Set-Cookie2", "a=b", "a=c"),
            updated("X-Frame-Options", "deny", "sameorigin"),
            updated("X-XSS-Protection", "1", "1; mode=block"),

            // How the stored bytes are coded, cut and counted is not for a 304 to say.
            untouched("Content-Encoding", "one", "two"),
            untouched("Content-Range", "one", "two"),
            untouched("Content-Length", "4", "10", content: "four"),

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

    private static func updated(_ name: String, _ old: String, _ new: String) -> ConformanceCase {
        freshened("updates \(name)", "\(name): \(old)", "\(name): \(new)", expect: "\(name): \(new)")
    }

    private static func untouched(
        _ name: String, _ old: String, _ new: String, content: String? = nil
    ) -> ConformanceCase {
        freshened(
            "leaves \(name)", "\(name): \(old)", "\(name): \(new)", expect: "\(name): \(old)", content: content)
    }

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
