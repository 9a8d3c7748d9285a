/// Scheme, host and port of an HTTP server: an origin in the words of browsers (RFC 6454 4).
public struct SiteAddress: Sendable, Hashable {
    /// Whether the scheme is `https`.
    package let isTLS: Bool
    /// The name in lower case, without the dot that ends an absolute one.
    private let host: [UInt8]
    private let port: UInt16

    /// - Parameter host: a name or an address as URLs have it: IPv6 in brackets.
    public init(isTLS: Bool, host: String, port: UInt16) {
        let bytes = Array(host.utf8)
        (self.isTLS, self.port) = (isTLS, port)
        self.host = bytes.span.lowercased(Authority.name(bytes.span, bytes.indices))
    }

    /// The site that an `Origin` field names (RFC 6454 7.1); nil for `null`, for a list, and for
    /// other schemes.
    package init?(origin: Span<UInt8>) {
        guard let (isTLS, start) = Self.scheme(of: origin) else { return nil }
        self.init(origin, start..<origin.count, isTLS: isTLS)
    }

    /// Nil where the bytes at `authority` are none, or have user information.
    init?(_ bytes: Span<UInt8>, _ authority: Range<Int>, isTLS: Bool) {
        guard let parsed = Authority(bytes, authority) else { return nil }
        (self.isTLS, port) = (isTLS, parsed.port ?? (isTLS ? 443 : 80))
        host = bytes.lowercased(Authority.name(bytes, parsed.host))
    }

    /// Whether a `Host` field names the same host and port. `Host` names no scheme: before this
    /// server another one may have ended TLS.
    package func isNamed(byHost field: Span<UInt8>) -> Bool {
        SiteAddress(field, 0..<field.count, isTLS: isTLS) == self
    }

    /// Whether a URL has the scheme `https`, and where its authority begins; nil for other schemes
    /// and for relative references.
    static func scheme(of url: Span<UInt8>) -> (isTLS: Bool, authority: Int)? {
        for (isTLS, text) in [(true, "https://"), (false, "http://")] as [(Bool, StaticString)] {
            let end = text.utf8CodeUnitCount
            if url.count >= end, url.equalsIgnoringCase(0..<end, text) { return (isTLS, end) }
        }
        return nil
    }
}
