extension Conformance {
    /// The effect of unsafe methods on stored answers: RFC 9111 4.4, RFC 9110 9.3.3.
    static let invalidation: [ConformanceCase] =
        unsafeMethods.flatMap { method in
            [
                ConformanceCase(
                    "\(method) that succeeds invalidates",
                    .get(origin: fresh),
                    .pause(seconds: 3),
                    .send(method, content: "change"),
                    .get(expect: .asked)),
                ConformanceCase(
                    "\(method) that fails leaves it",
                    .get(origin: fresh),
                    .pause(seconds: 3),
                    .send(method, content: "change", origin: .answer(500)),
                    .get(expect: .reused)),
                related("\(method) invalidates what Location names", method, "Location: <url>/a", expect: .asked),
                related(
                    "\(method) invalidates what Content-Location names", method, "Content-Location: <url>/a",
                    expect: .asked),
            ]
        } + [
            related(
                "a Location of another origin", "POST", "Location: http://elsewhere.example<url>/a", expect: .reused),
            ConformanceCase(
                "POST invalidates every variant",
                .get(sending: "Foo: 1", origin: .ok("Cache-Control: max-age=100000", "Vary: Foo")),
                .get(sending: "Foo: 2", origin: .ok("Cache-Control: max-age=100000", "Vary: Foo")),
                .send("POST", content: "change"),
                .get(sending: "Foo: 1", expect: .asked),
                .get(sending: "Foo: 2", expect: .asked)),
            ConformanceCase(
                "an answer to POST that describes its own URL answers GET",
                .send(
                    "POST", sending: "Content-Type: text/plain", content: "question",
                    origin: .ok("Cache-Control: max-age=3600", "Content-Location: <url>", "Date: <+0>")),
                .pause(seconds: 3),
                .get(expect: .reused)),
            ConformanceCase(
                "an answer to POST that describes another URL answers no GET",
                .send(
                    "POST", sending: "Content-Type: text/plain", content: "question",
                    origin: .ok("Cache-Control: max-age=3600", "Content-Location: <url>/a", "Date: <+0>")),
                .get(expect: .asked),
                .get(at: "/a", expect: .asked)),
        ]

    private static let unsafeMethods = ["POST", "DELETE", "M-SEARCH"]
    private static let fresh = OriginAnswer.ok("Cache-Control: max-age=100000", "Date: <+0>")

    private static func related(
        _ name: String, _ method: String, _ field: String, expect source: Source
    ) -> ConformanceCase {
        ConformanceCase(
            name,
            .get(at: "/a", origin: fresh),
            .send(method, content: "change", origin: .ok(field)),
            .get(at: "/a", expect: source))
    }
}
