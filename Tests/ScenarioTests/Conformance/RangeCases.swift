extension Conformance {
    /// Parts of a stored complete answer: RFC 9110 14, RFC 9111 3.3.
    static let ranges = ConformanceGroup(
        "ranges",
        [
            part("from first to last", "Range: bytes=0-1", "01", "Content-Range: bytes 0-1/11"),
            part("beyond the end", "Range: bytes=9-99", "9A", "Content-Range: bytes 9-10/11"),
            ConformanceCase(
                "a part has the fields of the stored answer",
                .get(origin: .ok("Cache-Control: max-age=3600", "A: 1", content: digits)),
                .get(
                    sending: "Range: bytes=0-1", origin: .ok("A: 2"), expect: .reused, .status(206), .content("01"),
                    .field("A: 1"))),
            ConformanceCase(
                "a range outside is not satisfied",
                .get(origin: .ok("Cache-Control: max-age=3600", content: digits)),
                .get(
                    sending: "Range: bytes=11-", expect: .proxy, .status(416), .field("Content-Range: bytes */11"))),
            ConformanceCase(
                "If-Range with the stored tag gets the part",
                .get(origin: .ok("Cache-Control: max-age=3600", #"ETag: "a""#, content: digits)),
                .get(
                    sending: "Range: bytes=0-1", #"If-Range: "a""#, expect: .reused, .status(206), .content("01"))),
            ConformanceCase(
                "If-Range with another tag gets everything",
                .get(origin: .ok("Cache-Control: max-age=3600", #"ETag: "a""#, content: digits)),
                .get(sending: "Range: bytes=0-1", #"If-Range: "b""#, expect: .reused)),
        ])

    private static let digits = "0123456789A"

    private static func part(
        _ name: String, _ range: String, _ content: String, _ contentRange: String
    ) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(origin: .ok("Cache-Control: max-age=3600", content: digits)),
            .get(sending: range, expect: .reused, .status(206), .content(content), .field(contentRange)))
    }
}
