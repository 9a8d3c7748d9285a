/// The address of a server, from the configuration, or for a node of a cluster from another node
/// (`SlotOwner` in `Tier`).
///
/// The host is kept as written, and without the brackets of an IPv6 literal for resolving and
/// verifying.
public struct Endpoint: Sendable, Hashable {
    /// Whether the connection is TLS; the certificate is then always verified for `host`.
    public let isTLS: Bool
    /// A DNS name or an address literal, without brackets.
    public let host: String
    /// The TCP port, always explicit.
    public let port: UInt16

    /// Names a server; nothing is looked up.
    public init(isTLS: Bool, host: String, port: UInt16) {
        (self.isTLS, self.host, self.port) = (isTLS, host, port)
    }

    /// The host without the dot that ends an absolute name: the dot is for name servers alone, and
    /// neither certificates nor server names have it (RFC 6066, 3).
    public var name: String {
        host.utf8.count > 1 && host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// The name before a port: an IPv6 literal in brackets (RFC 3986, 3.2.2).
    public var hostBeforePort: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : name
    }
}

/// Host and port as a log names them: "127.0.0.1:6379", "[::1]:6379".
extension Endpoint: CustomStringConvertible {
    public var description: String { "\(hostBeforePort):\(port)" }
}
