import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite struct SocketOwnerTests {
    private static func addresses(of client: CInt) throws -> (own: SocketAddress, peer: SocketAddress) {
        let peer = Socket.read { address, length in getpeername(client, address, length) }
        return (try #require(Socket.localAddress(client)), try #require(peer))
    }

    /// The table of all connections was read for each question.
    @Test(arguments: ["127.0.0.1", "::1"]) func theKernelTellsTheUserOfAConnection(host: String) throws {
        let address = try #require(SocketAddress(host: host, port: 0))
        let listener = try Listener.boundSocket(address, reusePort: false)
        defer { close(listener) }
        #expect(listen(listener, 1) == 0)
        let bound = try #require(Socket.localAddress(listener))
        let client = try Socket.open(family: address.family)
        _ = bound.withSockaddr { connect(client, $0, $1) }
        var poller = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&poller, 1, 10_000) == 1)
        let ends = try Self.addresses(of: client)
        let owner = SocketOwner(of: ends.own, connectedTo: ends.peer)
        // A kernel without sock_diag has the table asked.
        guard owner != .unknown else { return }
        #expect(owner == .user(geteuid()))
        close(client)
        #expect(SocketOwner(of: ends.own, connectedTo: ends.peer) != .user(geteuid()))
        #expect(SocketOwner(of: bound, connectedTo: ends.own.with(port: 1)) != .user(geteuid()), "it listens alone")
    }
}
