import HTTP

/// Fields by which a gateway tells its servers which request came, and from whom.
///
/// An origin that believes them answers another request than the one that is keyed, or another
/// user than the one who asks (FRAMING 3.3). A client can write them as well, so none goes up
/// unless the operator names it (`forward_fields`).
enum GatewayFields {
    /// Beginnings of their names, in lower case.
    private static let beginnings: [StaticString] = [
        "x-forwarded-", "x-original-", "x-rewrite-", "x-remote-", "x-authenticated-", "x-auth-request-", "x-real-",
        "x-client-ip", "x-client-cert", "x-client-dn", "x-client-verify", "x-ssl-", "ssl-client-", "x-webauth-",
        "x-envoy-", "x-accel-", "x-goog-authenticated-", "x-goog-iap-", "x-ms-client-principal", "x-amzn-oidc-",
        "cf-access-", "x-azure-clientip", "x-azure-socketip", "x-http-", "remote-",
    ]

    /// Whole names, in lower case.
    private static let names: [StaticString] = [
        "forwarded", "x-forwarded", "x-forwarder-for", "x-method-override", "x-host", "x-url-scheme", "x-base-url",
        "base-url", "x-proxy-url", "x-proxy-user", "x-user", "x-cluster-client-ip", "x-originating-ip",
        "x-proxyuser-ip",
        "true-client-ip", "client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "fastly-client-ip", "front-end-https",
        "x-middleware-subrequest", "x-wsgi-script-name", "proxy",
    ]

    /// Whether a field of this name says such a thing. Origins that hand fields on as variables of
    /// the environment read `_` as `-` (RFC 3875 4.1.18).
    static func contain(_ name: Span<UInt8>) -> Bool {
        names.contains { name.count == $0.utf8CodeUnitCount && begins(name, with: $0) }
            || beginnings.contains { begins(name, with: $0) }
    }

    /// Whether a field that would not go along means another method than the request's own: the
    /// origin would write where the client reads, or the other way round.
    /// - Parameter permitted: names of fields that go along.
    static func overridesMethod(of head: RequestHead, _ bytes: Span<UInt8>, permitted: [[UInt8]] = []) -> Bool {
        head.fields.contains { field in
            guard field.id == .other else { return false }
            let name = bytes.extracting(field.name.range)
            return overrides(name) && !isSpelt(name, asOneOf: permitted)
        }
    }

    /// Whether a field of this name means another method.
    static func overrides(_ name: Span<UInt8>) -> Bool {
        methodNames.contains { name.count == $0.utf8CodeUnitCount && begins(name, with: $0) }
    }

    private static let methodNames: [StaticString] = ["x-http-method-override", "x-http-method", "x-method-override"]

    /// In lower case, with hyphens for underscores: what names are compared in.
    static func spelling(_ name: Span<UInt8>) -> [UInt8] { name.indices.map { spelling(name[$0]) } }

    /// Whether a field's name has one of these spellings. Compares in place: the names are chosen
    /// by a client of whom nothing may be known.
    static func isSpelt(_ name: Span<UInt8>, asOneOf spellings: [[UInt8]]) -> Bool {
        spellings.contains { text in
            text.count == name.count && text.indices.allSatisfy { text[$0] == spelling(name[$0]) }
        }
    }

    private static func begins(_ name: Span<UInt8>, with text: StaticString) -> Bool {
        name.count >= text.utf8CodeUnitCount
            && (0..<text.utf8CodeUnitCount).allSatisfy { text.utf8Start[$0] == spelling(name[$0]) }
    }

    private static func spelling(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
