import EventLoop
import Testing

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

    @Test func eachOfSeveralFreePortsStaysItself() throws {
        let free = try listener("127.0.0.1:0")
        let running = [5, 6].map { BoundListener(settings: free, address: free.address.with(port: $0)) }
        let ports = ListenerChanges(from: running, to: [free, free, free]).addresses.map { $0?.port }
        #expect(ports == [5, 6, nil])
    }
}
