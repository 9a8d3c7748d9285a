import EventLoop
import Glibc
import Testing

@testable import refrain

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ([], false, false), (["tls"], true, false), (["proxy_protocol"], false, true),
        (["tls", "proxy_protocol"], true, true), (["proxy_protocol", "tls"], true, true),
    ])
    func theWordsBehindTheAddressSayWhatIsSpoken(words: [String], isTLS: Bool, expectsHeader: Bool) throws {
        let read = try ListenAddress.all(words: ["127.0.0.1:8080"] + words)
        #expect(
            read == [
                ListenAddress(
                    address: try HostPort("127.0.0.1:8080").address, isTLS: isTLS, expectsHeader: expectsHeader)
            ])
    }

    @Test(arguments: [
        (["ssl"], "\"ssl\" is not \"tls\" or \"proxy_protocol\""),
        (["tls", "proxy"], "\"proxy\" is not \"tls\" or \"proxy_protocol\""),
        (["tls", "tls"], "\"tls\" is given twice"),
        (["proxy_protocol", "proxy_protocol"], "\"proxy_protocol\" is given twice"),
    ])
    func otherWordsAreMistakes(words: [String], message: String) {
        #expect(throws: ValueError(message)) { try ListenAddress.all(words: ["127.0.0.1:8080"] + words) }
    }

    /// `localhost` has two addresses: a reload to it, or from it, changed nothing.
    @Test func onlyTheSameAddressesAreEqual() throws {
        #expect(try HostPort("*:8080") == HostPort("0.0.0.0:8080"))
        #expect(try HostPort("localhost:8080") != HostPort("127.0.0.1:8080"))
    }

    /// Programs that try the name's IPv6 address first were refused there.
    @Test(.enabled(if: Listener.isOfThisMachine(SocketAddress(host: "::1", port: 0)!)))
    func localhostIsBothItsAddresses() throws {
        let read = try ListenAddress.all(words: ["localhost:8080", "tls"])
        #expect(read.map(\.address.description) == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(read.allSatisfy { $0.isTLS })
        let proxy = try RunningProxy(
            refrainTests.read(quiet("listen localhost:0\nadmin_listen localhost:0")).configuration,
            OperationalLog(level: .error) { _ in })
        #expect(proxy.addresses.map(\.host) == ["127.0.0.1", "::1"])
        // Both addresses of the admin listener have one port.
        let admin = try #require(proxy.adminAddress)
        for host in ["127.0.0.1", "::1"] {
            let address = try #require(SocketAddress(host: host, port: admin.port))
            #expect(throws: SystemError(call: "bind", errno: EADDRINUSE)) { try Listener.rehearse(address) }
        }
        proxy.stop()
    }

    /// TLS needs its files wherever the word comes.
    @Test func tlsIsSeenBehindTheOtherWord() {
        #expect(!complaints("listen 127.0.0.1:8080 proxy_protocol tls").isEmpty)
    }
}
