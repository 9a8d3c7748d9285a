extension Conformance {
    /// CDN-Cache-Control goes before Cache-Control and Expires: RFC 9213 2. `RFC9111Tests` has its
    /// forms.
    static let cdnCacheControl = ConformanceGroup(
        "cdn-cache-control",
        [
            .reused("max-age over no-store", "CDN-Cache-Control: max-age=10000", "Cache-Control: no-store"),
            .asked("no-store", after: 0, "CDN-Cache-Control: no-store", "Cache-Control: max-age=10000"),
            ConformanceCase(
                "goes on to the client",
                .get(
                    origin: .ok("CDN-Cache-Control: perhaps", "Cache-Control: max-age=10000"), expect: .asked,
                    .field("CDN-Cache-Control: perhaps"))),
            ConformanceCase(
                "leaves Age, Date and Expires to the client",
                .get(
                    origin: .ok(
                        "CDN-Cache-Control: max-age=10000", "Cache-Control: max-age=1", "Expires: <+1>", "Date: <+0>")),
                .pause(seconds: 3),
                .get(expect: .reused, .age(3), .field("Date: <+0>"), .field("Expires: <+1>"))),
        ])
}
