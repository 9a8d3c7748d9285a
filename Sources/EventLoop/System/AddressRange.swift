/// The addresses of a network in CIDR notation (RFC 4632 3.1, RFC 4291 2.3), or one address.
public struct AddressRange: Hashable, Sendable {
    private let network: SocketAddress
    /// The number of leading bits that all addresses have in common.
    private let length: Int

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or an address; bits beyond the length do not matter.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = SocketAddress(host: String(parts[0]), port: 0)?.unmapped else { return nil }
        let most = address.isIPv6 ? 128 : 32
        if parts.count == 1 {
            length = most
        } else {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let digits = Int(parts[1]), digits <= most
            else { return nil }
            length = digits
        }
        network = address.masked(to: length)
    }

    /// Whether it has all addresses of its family.
    public var isEverything: Bool { length == 0 }

    /// An IPv4 address that is written as an IPv6 one counts as IPv4.
    public func contains(_ address: SocketAddress) -> Bool {
        address.path == nil && address.unmapped.masked(to: length) == network
    }
}
