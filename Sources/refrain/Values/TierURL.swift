import EventLoop
import Tier

/// The engines that `shared_tier` names: `redis://HOST[:PORT]`, or `rediss://` for TLS, and further
/// addresses after commas.
///
/// Its errors never repeat the value: users of Redis are used to a password in it, which may be
/// anywhere in a misspelt one.
struct TierURL: Hashable, Sendable, CustomStringConvertible {
    static let standardPort: UInt16 = 6379
    static let mostEngines = 16

    /// In the order in which they are tried; at least one. The scheme is the same for all.
    let engines: [Endpoint]

    /// Whether the engines are spoken to with TLS.
    var isTLS: Bool { engines[0].isTLS }

    /// The URL with all ports.
    var description: String {
        (isTLS ? "rediss://" : "redis://") + engines.map(\.description).joined(separator: ",")
    }
}

extension TierURL {
    init(_ text: String) throws(ValueError) {
        let lower = text.lowercased()
        guard !lower.prefix(while: { $0 != ":" }).contains("sentinel") else {
            throw ValueError(
                "Redis Sentinel is not supported: name the engines that it watches, redis://HOST:PORT,HOST:PORT; the "
                    + "master among them is used")
        }
        guard let scheme = ["rediss://", "redis://"].first(where: { lower.hasPrefix($0) }) else {
            throw ValueError("expected off, or a URL that begins with redis:// or rediss://")
        }
        let rest = lower.dropFirst(scheme.count)
        let addresses = rest.split(separator: ",", omittingEmptySubsequences: false)
        guard !addresses.dropFirst().contains(where: { $0.hasPrefix("redis://") || $0.hasPrefix("rediss://") }) else {
            throw ValueError("write the scheme once, before the first address; it applies to all")
        }
        guard !rest.contains(where: { "@/?#\\".contains($0) }) else {
            throw ValueError(
                "the URL must contain only addresses, without path or query; put user and password into "
                    + "shared_tier_auth_file")
        }
        guard addresses.count <= Self.mostEngines else { throw ValueError("more than \(Self.mostEngines) addresses") }
        var engines: [Endpoint] = []
        for (index, address) in addresses.enumerated() {
            guard let (host, port) = try? Endpoint.split(address, of: text) else {
                throw ValueError(
                    "address \(index + 1) is not HOST or HOST:PORT, with a port from 1 to 65535 and IPv6 in brackets; "
                        + "put a password into shared_tier_auth_file")
            }
            let engine = Endpoint(isTLS: scheme == "rediss://", host: host, port: port ?? Self.standardPort)
            guard !engines.contains(engine) else { throw ValueError("address \(index + 1) is given twice") }
            engines.append(engine)
        }
        self.init(engines: engines)
    }
}
