import EventLoop
import Synchronization

/// How many connections clients have, in all and from each address, over all loops: one address
/// cannot take all of them, and some descriptors are left to the admin listener, the origin and
/// files (FRAMING 6.8).
///
/// Asked when a connection comes and when it goes, from any thread.
public final class ConnectionCensus: Sendable {
    private struct State {
        var most: Int
        var mostPerAddress: Int
        var count = 0
        var byAddress: [UInt64: Int] = [:]
        /// Connections of these may be more: each brings requests of many clients.
        var proxies = TrustedProxies()
        /// Requests that these pass on, by the network of their clients.
        var requests: [UInt64: Int] = [:]
    }

    private let state: Mutex<State>
    private let refusedHeaders = Atomic<Int>(0)
    /// Clients that were refused, and handshakes.
    public let refusals = ConnectionRefusals()

    /// - Parameters:
    ///   - most: connections in all.
    ///   - mostPerAddress: connections of one network (`SocketAddress.network`). Those over Unix
    ///     sockets are of none.
    public init(most: Int = .max, mostPerAddress: Int = .max) {
        state = Mutex(State(most: most, mostPerAddress: mostPerAddress))
    }

    /// Other bounds; connections that are there stay.
    /// - Parameter proxies: how many connections they have is not bounded by their address. The
    ///   requests of one client that they pass on at once are, in place of its connections.
    public func limit(to most: Int, perAddress: Int, trusting proxies: TrustedProxies = TrustedProxies()) {
        state.withLock { ($0.most, $0.mostPerAddress, $0.proxies) = (most, perAddress, proxies) }
    }

    /// Connections that were closed as they came.
    public var refusedCount: Int {
        ClientLimit.allCases.filter(\.isOnArrival).reduce(0) { $0 + refusals.count(by: $1) }
    }

    /// Connections that were closed because their header of the PROXY protocol was malformed, cut
    /// short or late. Counted here, where a reload, which makes listeners anew, does not lose it.
    public var refusedHeaderCount: Int { refusedHeaders.load(ordering: .relaxed) }

    /// The most connections that there may be.
    public var most: Int { state.withLock(\.most) }

    /// Connections that are there.
    public var count: Int { state.withLock(\.count) }

    /// A connection has come; false: there is no room for it, and it does not count.
    /// - Parameters:
    ///   - peer: counts for its address; nil: that of the client is not known yet.
    ///   - sender: named to the operator where `peer` is nil.
    func enter(from peer: SocketAddress?, sentBy sender: SocketAddress? = nil, at now: Instant) -> Bool {
        let limit: ClientLimit? = state.withLock { state in
            guard state.count < state.most else { return .descriptors }
            if let peer, let network = peer.network {
                let count = state.byAddress[network, default: 0]
                guard count < state.mostPerAddress || state.proxies.contains(peer) else { return .address }
                state.byAddress[network] = count + 1
            }
            state.count += 1
            return nil
        }
        guard let limit else { return true }
        refusals.note(limit, peer ?? sender, at: now)
        return false
    }

    /// A request of a client has come by a trusted proxy; false: the client's network has too many.
    /// - Parameter client: of that network.
    func enterRequest(of network: UInt64, _ client: SocketAddress?, at now: Instant) -> Bool {
        let isLetIn = state.withLock { state in
            let count = state.requests[network, default: 0]
            guard count < state.mostPerAddress else { return false }
            state.requests[network] = count + 1
            return true
        }
        if !isLetIn { refusals.note(.addressRequests, client, at: now) }
        return isLetIn
    }

    /// Counts a request that `enterRequest` let in as over.
    func leaveRequest(of network: UInt64) {
        state.withLock { state in
            guard let count = state.requests[network] else { return }
            state.requests[network] = count > 1 ? count - 1 : nil
        }
    }

    func refuseHeader() { refusedHeaders.add(1, ordering: .relaxed) }

    /// A connection that had come has gone.
    func leave(from peer: SocketAddress?) {
        state.withLock { state in
            state.count -= 1
            guard let network = peer?.network, let count = state.byAddress[network] else { return }
            state.byAddress[network] = count > 1 ? count - 1 : nil
        }
    }
}
