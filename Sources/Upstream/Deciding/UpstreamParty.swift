/// On whose behalf a request goes to the origin: waiting requests are served in turns by party, so
/// that none waits for the whole line of another (DECISIONS 11.7). A small value that does not
/// reveal the client.
public enum UpstreamParty: Hashable, Sendable {
    /// Clients that nothing tells apart: those of a Unix socket, and the proxy itself.
    case everyone
    /// Requests for which no client waits.
    case background
    /// A client that is known by name, which `client` hashes.
    case named(UInt64)
    /// Clients of one network: see `SocketAddress.network`.
    case network(UInt64)

    /// A client that is known by name.
    public static func client(_ name: String) -> UpstreamParty {
        .named(UInt64(bitPattern: Int64(name.hashValue)))
    }
}
