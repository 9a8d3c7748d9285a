/// On whose behalf a request goes to the origin: what waits is served in turns by party, so that
/// none waits for the whole line of another (DECISIONS 11.7). A small value; what it stands for
/// cannot be read off it.
public struct UpstreamParty: Hashable, Sendable {
    private enum Kind: UInt8 {
        case everyone, background, client, network
    }

    private let kind: Kind
    private let number: UInt64

    private init(_ kind: Kind, _ number: UInt64 = 0) {
        (self.kind, self.number) = (kind, number)
    }

    /// Clients that nothing tells apart: those of a Unix socket, and the proxy itself.
    public static let everyone = UpstreamParty(.everyone)

    /// Requests for which no client waits.
    static let background = UpstreamParty(.background)

    /// A client that is known by name.
    public static func client(_ name: String) -> UpstreamParty {
        UpstreamParty(.client, UInt64(bitPattern: Int64(name.hashValue)))
    }

    /// Clients of one network: see `SocketAddress.network`.
    public static func network(_ number: UInt64) -> UpstreamParty { UpstreamParty(.network, number) }
}
