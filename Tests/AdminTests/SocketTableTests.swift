import Glibc
import Proxy
import TestSupport
import Testing

@testable import Admin
@testable import EventLoop
@testable import Server

@Suite struct SocketTableTests {
    private static let title =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

    private func row(
        _ local: String, _ remote: String, state: String = "01", user: String = "1000", inode: String = "4711"
    ) -> String {
        "   7: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 0000 20 4\n"
    }

    private func owner(_ rows: String..., local: String = "127.0.0.1:50000") -> UInt32? {
        SocketTable.owner(
            of: SocketAddress(local)!,
            connectedTo: SocketAddress(local.hasPrefix("[") ? "[::1]:8081" : "127.0.0.1:8081")!,
            in: Array((Self.title + rows.joined()).utf8))
    }

    private let client = "0100007F:C350"
    private let server = "0100007F:1F91"

    @Test func findsTheSocketOfThePeer() {
        let others = row(server, client, user: "7") + row("0100007F:C351", server, user: "8")
        #expect(owner(others, row(client, server)) == 1000)
        #expect(owner(others) == nil)
        #expect(owner() == nil)
    }

    @Test func readsIPv6AndIPv4WithinIt() {
        let loopback = "00000000000000000000000001000000"
        #expect(owner(row("\(loopback):C350", "\(loopback):1F91"), local: "[::1]:50000") == 1000)
        let mapped = "0000000000000000FFFF00000100007F"
        #expect(owner(row("\(mapped):C350", "\(mapped):1F91")) == 1000)
    }

    /// The kernel lists a socket that its process has closed under user 0: it must not pass for
    /// root's.
    @Test func aSocketThatWasLetGoOfHasNoOwner() {
        #expect(owner(row(client, server, user: "0", inode: "0")) == nil)
        for state in ["04", "05", "06", "08"] {
            #expect(owner(row(client, server, state: state, user: "0")) == nil, "\(state)")
        }
        #expect(owner(row(client, server, user: "0")) == 0)
    }

    @Test(arguments: [
        "nonsense\n", "   7:\n", "   7: 0100007F:C350 0100007F:1F91 01\n",
        "   7: 0100007F:C350 0100007F:1F91 01 0 0 0 x 0 4711 1\n",
        "   7: 0100007G:C350 0100007F:1F91 01 0 0 0 1000 0 4711 1\n",
        "   7: 0100007F 0100007F:1F91 01 0 0 0 1000 0 4711 1\n",
        "   7: 0100007F:C350 0100007F:1F91 01 0 0 0 99999999999999999999 0 4711 1\n",
    ]) func malformedRowsAreSkipped(_ line: String) {
        #expect(owner(line) == nil)
    }

    @Test func theKernelsOwnTableIsUnderstood() throws {
        let admin = try AdminUnderTest()
        let client = try RawClient(port: UInt16(admin.port))
        defer { client.close() }
        let table = try #require(KernelFile.read("/proc/self/net/tcp"))
        let rows = table.split(separator: 10).dropFirst().compactMap { row -> SocketAddress? in
            let columns = row.split(separator: 32)
            // Established only: rows of an earlier client with this port stay for a minute.
            guard columns.count > 3, columns[3].elementsEqual("01".utf8),
                SocketTable.address(columns[2])?.port == UInt16(admin.port)
            else { return nil }
            return SocketTable.address(columns[1])
        }
        let local = try #require(rows.first)
        let server = try #require(SocketAddress("127.0.0.1:\(admin.port)"))
        #expect(SocketTable.owner(of: local, connectedTo: server, in: table) == geteuid())
        let peer = ConnectionPeer(address: local, localAddress: server, unixUserID: nil)
        #expect(PeerOwner.mayWrite(peer))
    }

    @Test func unknownPeersMayNotWrite() {
        let server = SocketAddress("127.0.0.1:8081")
        let absent = ConnectionPeer(address: SocketAddress("127.0.0.1:1"), localAddress: server, unixUserID: nil)
        #expect(!PeerOwner.mayWrite(absent))
        #expect(!PeerOwner.mayWrite(ConnectionPeer(address: nil, localAddress: nil, unixUserID: nil)))
        #expect(!PeerOwner.mayWrite(ConnectionPeer(address: nil, localAddress: nil, unixUserID: geteuid() + 12_345)))
        #expect(PeerOwner.mayWrite(ConnectionPeer(address: nil, localAddress: nil, unixUserID: 0)))
        #expect(PeerOwner.mayWrite(ConnectionPeer(address: nil, localAddress: nil, unixUserID: geteuid())))
    }
}
