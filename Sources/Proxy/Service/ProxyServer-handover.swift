import EventLoop
import Server

// Another process goes on in the place of this one: it gets the sockets while this one still
// serves, and then one of the two accepts.

extension ProxyServer {
    /// Another descriptor of each listening socket of each loop, in the order of the settings.
    /// Closing a socket resets what waits in its queue, and with `SO_REUSEPORT` each loop has its
    /// own, so none may be left out.
    public func copySockets() throws(SystemError) -> [Descriptor] {
        var found: [(address: SocketAddress, socket: Descriptor)] = []
        for worker in workers {
            found += try worker.loop.sync { () throws(SystemError) in try worker.server.copySockets() }
        }
        return addresses.flatMap { address in found.filter { $0.address == address }.map(\.socket) }
    }

    /// Leaves new connections in the kernel's queues, or goes on accepting them; returns when every
    /// loop does.
    public func setAccepting(_ accepts: Bool) {
        for worker in workers { worker.loop.sync { worker.server.setAccepting(accepts) } }
    }
}
