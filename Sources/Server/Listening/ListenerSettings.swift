import EventLoop

/// An address to listen on, with TLS or without, for clients or for a load balancer.
public struct ListenerSettings: Sendable {
    /// Port 0: any that is free.
    public let address: SocketAddress
    /// nil: without TLS.
    package let tls: ServerTLS?
    /// The sockets that the process was started with for this address: none, or those that are
    /// listened on in place of one of its own.
    public let inherited: [InheritedSocket]
    /// Given where each connection names its client by the PROXY protocol.
    let headers: ProxyHeaders?

    /// Nothing is bound yet.
    public init(
        address: SocketAddress, tls: ServerTLS?, inherited: [InheritedSocket] = [], headers: ProxyHeaders? = nil
    ) {
        (self.address, self.tls, self.inherited, self.headers) = (address, tls, inherited, headers)
    }

    /// Whether a connection that came under other settings of the address could have come under
    /// these: not where TLS or the PROXY header begins or ends, nor where its HTTP/2 ends. Another
    /// certificate changes nothing for connections that are there.
    func allows(connectionsOf other: ListenerSettings) -> Bool {
        (tls == nil) == (other.tls == nil) && (headers == nil) == (other.headers == nil)
            && (tls?.offersHTTP2 == true || other.tls?.offersHTTP2 != true)
    }

    /// The settings with this port where they ask for any.
    func filling(port: UInt16) -> ListenerSettings {
        guard address.port == 0, address.path == nil else { return self }
        return ListenerSettings(address: address.with(port: port), tls: tls, inherited: inherited, headers: headers)
    }

    /// The sockets of one of several loops: each loop has one inherited socket at least, and each
    /// socket one loop at least, or connections in its queue would wait for ever.
    package func share(of index: Int, among loops: Int, boundTo address: SocketAddress) -> ListenerSettings {
        let most = inherited.isEmpty ? 0 : max(inherited.count, loops)
        let share = (0..<most).filter { $0 % loops == index }.map { inherited[$0 % inherited.count] }
        return ListenerSettings(address: address, tls: tls, inherited: share, headers: headers)
    }
}
