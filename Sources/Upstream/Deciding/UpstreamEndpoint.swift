/// Where the origin is: configuration only, never anything that a client sent (FRAMING 1.4).
///
/// The host is kept as written for `Host`, and without the brackets of an IPv6 literal for
/// resolving and verifying.
public struct UpstreamEndpoint: Sendable, Hashable {
    /// Whether the connection is TLS; the certificate is then always verified for `host`.
    public let isTLS: Bool
    /// A DNS name or an address literal, without brackets.
    public let host: String
    /// The TCP port, always explicit.
    public let port: UInt16

    /// Names an origin; nothing is looked up.
    public init(isTLS: Bool, host: String, port: UInt16) {
        self.isTLS = isTLS
        self.host = host
        self.port = port
    }

    /// The value of the `Host` field (RFC 9110, 7.2): the port only where it is not the scheme's
    /// own.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
    }
}
