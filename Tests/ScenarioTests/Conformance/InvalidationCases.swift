extension Conformance {
    /// What a change leaves of the stored answers: RFC 9111 4.4.
    static let invalidation = ConformanceGroup(
        "invalidation",
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
            ]
        } + [
            ConformanceCase(
                "POST invalidates every variant",
                .get(sending: "Foo: 1", origin: .ok("Cache-Control: max-age=100000", "Vary: Foo")),
                .get(sending: "Foo: 2", origin: .ok("Cache-Control: max-age=100000", "Vary: Foo")),
                .send("POST", content: "change"),
                .get(sending: "Foo: 1", expect: .asked),
                .get(sending: "Foo: 2", expect: .asked)),
        ])

    private static let unsafeMethods = ["POST", "PUT", "DELETE", "M-SEARCH"]
    private static let fresh = OriginAnswer.ok("Cache-Control: max-age=100000", "Date: <+0>")
}
