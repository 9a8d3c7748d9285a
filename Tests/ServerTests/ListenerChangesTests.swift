import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import Server

@Suite struct ListenerChangesTests {
    private func listener(_ text: String) throws -> ListenerSettings {
        ListenerSettings(address: try #require(SocketAddress(text)), tls: nil)
    }

    @Test func theSameAddressStaysAndOthersAreNew() throws {
        let (a, b) = (try listener("127.0.0.1:1"), try listener("127.0.0.1:2"))
        let running = [BoundListener(settings: a, address: a.address)]
        #expect(ListenerChanges(from: running, to: [b, a]).addresses == [nil, a.address])
    }

    /// Connections of a listener that was gone, or spoke TLS by now, were served on.
    @Test func aListenerThatIsGoneOrWantsOthersEndsItsConnections() throws {
        let authority = try ThrowawayAuthority()
        func tls(_ offersHTTP2: Bool = false) throws -> ServerTLS {
            try ServerTLS(authority: authority, hosts: ["a"], offersHTTP2: offersHTTP2)
        }
        let address = try #require(SocketAddress("127.0.0.1:1"))
        func settings(_ tls: ServerTLS? = nil, headers: Bool = false) -> ListenerSettings {
            ListenerSettings(address: address, tls: tls, headers: headers ? ProxyHeaders { _ in } : nil)
        }
        func ends(_ former: ListenerSettings, _ wanted: ListenerSettings...) -> Bool {
            let running = [BoundListener(settings: former, address: address)]
            return ListenerChanges(from: running, to: wanted).ended == [address]
        }
        #expect(!ends(settings(), settings()) && ends(settings()))
        #expect(try ends(settings(), settings(tls())) && ends(settings(tls()), settings()))
        #expect(try !ends(settings(tls()), settings(tls())), "another certificate")
        #expect(try ends(settings(tls(true)), settings(tls())) && !ends(settings(tls()), settings(tls(true))))
        #expect(ends(settings(), settings(headers: true)) && ends(settings(headers: true), settings()))
        #expect(!ends(settings(headers: true), settings(headers: true)))
    }

    @Test func eachOfSeveralFreePortsStaysItself() throws {
        let free = try listener("127.0.0.1:0")
        let running = [5, 6].map { BoundListener(settings: free, address: free.address.with(port: $0)) }
        let ports = ListenerChanges(from: running, to: [free, free, free]).addresses.map { $0?.port }
        #expect(ports == [5, 6, nil])
    }
}

@Suite struct SharedListenerTests {
    /// A socket that no loop listens on would keep its clients waiting for ever, and a loop that
    /// listens on none would idle.
    @Test(arguments: 1...4, 1...4) func everyInheritedSocketHasALoopAndEveryLoopASocket(
        _ sockets: Int, _ loops: Int
    ) throws {
        let address = try #require(SocketAddress("127.0.0.1:0"))
        let given = try (0..<sockets).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            _ = address.withSockaddr { bind(descriptor, $0, $1) }
            listen(descriptor, 4)
            return try #require(InheritedSocket(descriptor: descriptor, isKept: false))
        }
        defer { for socket in given { socket.close() } }
        let settings = ListenerSettings(address: address, tls: nil, inherited: given)
        let shares = (0..<loops).map { settings.share(of: $0, among: loops, boundTo: address).inherited }
        #expect(shares.allSatisfy { !$0.isEmpty })
        #expect(Set(shares.joined().map(\.address)).count == sockets)
        #expect(shares.joined().count == max(sockets, loops))
        #expect(ListenerSettings(address: address, tls: nil).share(of: 0, among: 2, boundTo: address).inherited.isEmpty)
        let headers = ProxyHeaders { _ in }
        let headered = ListenerSettings(address: address, tls: nil, inherited: given, headers: headers)
        #expect(headered.share(of: 0, among: 2, boundTo: address).headers === headers)
    }
}
