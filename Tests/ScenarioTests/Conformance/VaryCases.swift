extension Conformance {
    /// Which stored answer is for which request: RFC 9111 4.1. `VariantIndexTests` has every form
    /// of the fields.
    static let vary = ConformanceGroup(
        "vary",
        [
            ConformanceCase(
                "two variants are kept",
                .get(
                    sending: "Foo: 1", origin: varying("Foo"), expect: .asked,
                    .field("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; stored; ttl=5000")),
                .get(
                    sending: "Foo: 2", origin: varying("Foo"), expect: .asked,
                    .field("Cache-Status: refrain; fwd=vary-miss; fwd-status=200; stored; ttl=5000")),
                .get(sending: "Foo: 1", "Other: 3", expect: .reused),
                .get(sending: "Foo: 2", expect: .stored(2)),
                .get(expect: .asked)),
            ConformanceCase(
                "anything",
                .get(sending: "Foo: 1", origin: varying("*")),
                .get(sending: "Foo: 1", expect: .asked)),
        ])

    /// A response that is chosen by this request field.
    private static func varying(_ name: String) -> OriginAnswer {
        .ok("Cache-Control: max-age=5000", "Last-Modified: <-3000>", "Date: <+0>", "Vary: \(name)")
    }
}
