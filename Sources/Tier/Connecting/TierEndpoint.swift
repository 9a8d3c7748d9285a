/// Where an engine is: configuration only.
package struct TierEndpoint: Sendable, Hashable {
    /// Whether the connection is TLS (`rediss:`); the certificate is then always verified for
    /// `host`.
    package let isTLS: Bool
    /// A DNS name or an address literal, without brackets.
    package let host: String
    /// The TCP port; 6379 is the usual one.
    package let port: UInt16

    /// Names an engine; nothing is looked up.
    package init(isTLS: Bool, host: String, port: UInt16) {
        self.isTLS = isTLS
        self.host = host
        self.port = port
    }
}

/// As the log names it: `127.0.0.1:6379`, `[::1]:6379`.
extension TierEndpoint: CustomStringConvertible {
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
