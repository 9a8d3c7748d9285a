extension Conformance {
    /// Which fields are stored and sent again: RFC 9111 3.1, RFC 9110 7.6.1.
    static let storedFields: [ConformanceCase] =
        ["Test-Header: one", "Content-Encoding: unheard-of", #"ETag: "ghijkl""#].map { field in kept(field) }
        + ["Keep-Alive: timeout=5", "Proxy-Authentication-Info: three", "TE: six"].map { field in dropped(field) }
        + [
            .reused("Set-Cookie that is everyone's", "Cache-Control: public, max-age=3600", "Set-Cookie: a=c"),
            ConformanceCase(
                "Set-Cookie that is one client's",
                .get(origin: .ok("Cache-Control: max-age=3600", "Set-Cookie: a=c"), expect: .asked),
                .get(origin: .ok("Cache-Control: max-age=3600", "Set-Cookie: a=d"), expect: .asked)),
            ConformanceCase(
                "what Connection names",
                .get(
                    origin: .ok("Cache-Control: max-age=3600", "Connection: a, b", "A: 1", "B: 2", "C: 3"),
                    expect: .asked, .noField("A"), .noField("B")),
                .pause(seconds: 3),
                .get(expect: .reused, .field("C: 3"), .noField("A"), .noField("B"))),
            // Interim responses are passed on and never stored (RFC 9110 15.2, RFC 8297).
            ConformanceCase(
                "fields of two interim responses are not those of the final one",
                .get(
                    origin: .ok("Cache-Control: max-age=100000").after(interim: 102)
                        .after(interim: 103, "X-My-Header: early"),
                    expect: .asked, .interim([102, 103]), .noField("X-My-Header")),
                .pause(seconds: 3),
                .get(expect: .reused, .interim([]), .noField("X-My-Header"))),
            // Bytes after the content do not begin the next response (RFC 9112 6.3).
            ConformanceCase(
                "Content-Length, and nothing beyond it",
                .get(
                    origin: .ok(
                        "Cache-Control: max-age=3600", "Content-Length: 10", content: "0123456789 and more"),
                    expect: .asked, .content("0123456789")),
                .get(at: "/next", expect: .asked),
                .get(expect: .reused, .content("0123456789"), .field("Content-Length: 10"))),
            // Where a content ends is not known with a coding that is not known (RFC 9112 6.1).
            ConformanceCase(
                "an unknown transfer coding is refused",
                .get(origin: .ok("Cache-Control: max-age=3600", "Transfer-Encoding: unheard-of"), expect: .failed),
                .get(origin: .ok("A: 1"), expect: .asked)),
        ]

    private static func kept(_ field: String) -> ConformanceCase {
        .reused("keeps " + name(field), "Cache-Control: max-age=3600", field, "Date: <+0>")
    }

    private static func dropped(_ field: String) -> ConformanceCase {
        ConformanceCase(
            "drops " + name(field),
            .get(origin: .ok("Cache-Control: max-age=3600", field), expect: .asked, .noField(name(field))),
            .pause(seconds: 3),
            .get(expect: .reused, .noField(name(field))))
    }

    private static func name(_ field: String) -> String { ConformanceOrigin.parse(field).name }
}
