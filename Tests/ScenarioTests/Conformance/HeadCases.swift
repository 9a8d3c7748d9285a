extension Conformance {
    /// The effect of an answer to HEAD on the stored answer to GET: RFC 9111 4.3.5.
    static let head = ConformanceGroup(
        "head",
        [
            ConformanceCase(
                "is answered from a fresh answer",
                .get(origin: .ok("Cache-Control: max-age=100")),
                .send("HEAD", expect: .reused)),
            ConformanceCase(
                "goes to the origin when the answer is stale",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>")),
                .pause(seconds: 3),
                .send("HEAD", expect: .asked, .method("HEAD"))),
            ConformanceCase(
                "brings freshness",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", "A: 1", content: "same")),
                .pause(seconds: 3),
                .send("HEAD", origin: .ok("Cache-Control: max-age=1000", content: "same"), expect: .asked),
                .get(expect: .freshened, .field("A: 1"), .field("Cache-Control: max-age=1000"))),
            ConformanceCase(
                "of another length makes stale",
                .get(origin: .ok("Cache-Control: max-age=2", "Date: <+0>", content: "same")),
                .pause(seconds: 3),
                .send("HEAD", origin: .ok("Cache-Control: max-age=1000", content: "longer"), expect: .asked),
                .get(expect: .asked)),
        ])
}
