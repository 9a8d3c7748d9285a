import Glibc

extension Stream {
    /// Connects without waiting. With `tls`, certificate chain and host name are verified before
    /// `streamDidOpen`.
    ///
    /// Throws only where no socket can be made (descriptors used up). All else is reported by
    /// `streamDidClose`, never from inside this call.
    public static func connect(
        to address: SocketAddress, tls: (configuration: ClientTLS, hostName: String)? = nil,
        handshakeTimeout: Duration = Stream.handshakeTimeout, loop: EventLoop, handler: any StreamHandler
    ) throws(SystemError) -> Stream {
        loop.assertOnLoop()
        let descriptor = try Socket.open(family: address.family)
        Socket.set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
        Socket.setKeepAlive(descriptor)
        var session: TLSSession?
        var failure: StreamError?
        do {
            session = try tls.map { (tls) throws(TLSError) in
                try tls.configuration.makeSession(hostName: tls.hostName, port: address.port, descriptor: descriptor)
            }
        } catch {
            failure = .tls(error.description)
        }
        let stream = Stream(
            owning: descriptor, peer: address, state: .connecting, tls: session, loop: loop,
            handshakeTimeout: handshakeTimeout)
        stream.handler = handler
        if let failure {
            stream.fail(failure)
        } else {
            stream.startConnecting(address)
        }
        return stream
    }

    private func startConnecting(_ address: SocketAddress) {
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        // EINTR leaves the attempt going on, like EINPROGRESS.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            return fail(.system(.last("connect")))
        }
        // Not earlier: a socket that has not begun to connect reports a hang-up.
        register()
    }
}
