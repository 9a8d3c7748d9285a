import HTTP

/// Fields by which a gateway tells the servers behind it what was asked for, and by whom.
///
/// An origin that believes them answers another request than the one that is keyed, or another
/// user than the one who asks (FRAMING 3.4). A client can write them as well, so none goes up
/// unless the operator names it (`forward_fields`).
public enum GatewayFields {
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
        let spelling = spelling(name)
        return names.contains { $0.description.utf8.elementsEqual(spelling) }
            || beginnings.contains { spelling.starts(with: $0.description.utf8) }
    }

    /// In lower case, with hyphens for underscores: what names are compared in.
    public static func spelling(_ name: Span<UInt8>) -> [UInt8] {
        name.lowercased(0..<name.count).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
    }
}
