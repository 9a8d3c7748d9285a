extension Conformance {
    /// The effect of an answer to HEAD on the stored answer to GET: RFC 9111 4.3.5.
    static let head = ConformanceGroup(
        "head",
        [
            ConformanceCase(
                "brings freshness",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "A: 1", content: "same")),
                .pause(seconds: 3),
                .send(
                    "HEAD", origin: .ok("Cache-Control: max-age=1000", content: "same"), expect: .asked,
                    .method("HEAD")),
                .get(expect: .freshened, .field("A: 1"), .field("Cache-Control: max-age=1000"))),
            ConformanceCase(
                "of another length makes stale",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", content: "same")),
                .pause(seconds: 3),
                .send("HEAD", origin: .ok("Cache-Control: max-age=1000", content: "longer"), expect: .asked),
                .get(expect: .asked)),
        ])
}
