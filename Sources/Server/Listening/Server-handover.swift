import EventLoop

// Sockets for another process that goes on in the place of this one.

extension Server {
    /// Another descriptor of each socket that is listened on, with its address.
    public func copySockets() throws(SystemError) -> [(address: SocketAddress, socket: Descriptor)] {
        try listeners.values.joined().map { listener throws(SystemError) in (listener.address, try listener.copy()) }
    }

    /// Leaves new connections in the kernel's queues, or goes on accepting them.
    public func setAccepting(_ accepts: Bool) {
        for listener in listeners.values.joined() { accepts ? listener.resume() : listener.pause() }
    }
}

extension ServiceHost {
    /// See `Server.copySockets`. From any thread.
    public func copySockets() throws(SystemError) -> [(address: SocketAddress, socket: Descriptor)] {
        try loop.sync { () throws(SystemError) in try server.copySockets() }
    }

    /// See `Server.setAccepting`. From any thread.
    public func setAccepting(_ accepts: Bool) {
        loop.sync { server.setAccepting(accepts) }
    }
}
