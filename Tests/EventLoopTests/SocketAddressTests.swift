import TestSupport
import Testing

@testable import EventLoop

@Suite struct SocketAddressTests {
    @Test(arguments: ["127.0.0.1:8080", "[::1]:8080", "0.0.0.0:0", "[2001:db8::17]:65535"])
    func addressesArePrintedAsTheyWereParsed(_ text: String) throws {
        let address = try #require(SocketAddress(text))
        #expect(address.description == text)
        // The way through the kernel's representation keeps everything.
        #expect(address.withSockaddr { pointer, _ in SocketAddress(pointer) } == address)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "[::1]", "127.0.0.1\0"]) func refuses(_ host: String) {
        #expect(SocketAddress(host: host, port: 80) == nil)
    }

    @Test func knowsLoopback() {
        for text in ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"] {
            #expect(SocketAddress(host: text, port: 1)?.isLoopback == true, "\(text)")
        }
        for text in ["128.0.0.1", "0.0.0.0", "::", "::2", "::ffff:10.0.0.1", "7f00::1"] {
            #expect(SocketAddress(host: text, port: 1)?.isLoopback == false, "\(text)")
        }
    }

    @Test func changesThePortAlone() throws {
        let address = try #require(SocketAddress("[::1]:80")).with(port: 443)
        #expect(address.description == "[::1]:443" && address.isIPv6)
    }

    /// A household with an IPv6 network has any number of addresses.
    @Test func aNetworkIsAnIPv4HostOrHalfOfIPv6() throws {
        let cases = [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.2", "192.0.2.2"),
            ("2001:db8:0:1::7", "2001:db8:0:1::/64"), ("2001:db8::1", "2001:db8::/64"),
            ("2001:db8::2:3:4:5", "2001:db8::/64"), ("32.1.13.184", "32.1.13.184"), ("::1", "::/64"),
            ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ]
        for (index, (host, text)) in cases.enumerated() {
            let network = try #require(SocketAddress(host: host, port: UInt16(index))?.network)
            #expect(SocketAddress.text(ofNetwork: network) == text)
        }
        #expect(SocketAddress(path: "/run/x.sock")?.network == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.255.0.1", true), ("172.15.0.1", false), ("172.16.0.1", true), ("172.31.9.9", true),
        ("172.32.0.1", false), ("192.168.0.1", true), ("192.169.0.1", false), ("169.254.1.1", true), ("0.0.0.0", false),
        ("8.8.8.8", false), ("::1", true), ("::", false), ("fc00::1", true), ("fdff::1", true), ("fe80::1", true),
        ("febf::1", true), ("fec0::1", false), ("fb00::1", false), ("2001:db8::1", false), ("::ffff:10.0.0.1", true),
        ("::ffff:8.8.8.8", false),
    ])
    func addressesOfOneNetworkArePrivate(host: String, isPrivate: Bool) {
        #expect(SocketAddress(host: host, port: 1)?.isPrivate == isPrivate)
    }
}
