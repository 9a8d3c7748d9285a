import EventLoop
import Glibc
import TestSupport
import Testing

@testable import refrain

/// Addresses and URLs of the configuration.
@Suite struct AddressTests {
    @Test func readsAddressesInTheirSpellings() throws {
        let spellings = [
            "127.0.0.1:8080": "127.0.0.1:8080", "[::1]:0": "[::1]:0", "localhost:80": "127.0.0.1:80",
            "*:65535": "0.0.0.0:65535",
        ]
        for (text, spelling) in spellings { #expect(try HostPort(text).description == spelling) }
        #expect(try HostPort("*:8080") == HostPort("0.0.0.0:8080"))
        // `localhost` has two addresses: a reload to it, or from it, changed nothing.
        #expect(try HostPort("localhost:8080") != HostPort("127.0.0.1:8080"))
    }

    @Test(arguments: [
        "", "8080", ":80", "localhost:", "*:65536", "*:+1", "::1:80", "[127.0.0.1]:80", "[::1:80",
        "example.com:80", "256.0.0.1:80",
    ])
    func refusesOtherAddresses(_ text: String) { #expect(throws: ValueError.self) { try HostPort(text) } }

    @Test func readsAndWritesSchemeHostAndPort() throws {
        #expect(
            try Endpoint(url: "https://api.music.apple.com")
                == Endpoint(isTLS: true, host: "api.music.apple.com", port: 443))
        #expect(try Endpoint(url: "HTTP://LocalHost:8090/") == Endpoint(isTLS: false, host: "localhost", port: 8090))
        #expect(try Endpoint(url: "http://[::1]:9") == Endpoint(isTLS: false, host: "::1", port: 9))
        #expect(try Endpoint(url: "http://[::1]") == Endpoint(isTLS: false, host: "::1", port: 80))
        for text in ["https://a.example", "https://a.example:80", "http://[::1]:9", "http://10.0.0.1"] {
            #expect(try Endpoint(url: text).url == text)
        }
        #expect(throws: ValueError("a URL must not contain a user name or password")) {
            try Endpoint(url: "https://me:secret@a")
        }
    }

    @Test(
        arguments: [
            "api.music.apple.com", "ftp://a", "https://", "https://a/v1", "https://a?b", "https://a#b", "https://a//",
            "https://a:0", "https://a:65536", "https://a:", "https://a:8x", "https://[::1", "https://[::1]8",
            "https://[a]", "https://a b", "https://a\\b", "https://.a", "https://a..b", "https://é",
        ])
    func refusesOtherURLs(_ text: String) { #expect(throws: ValueError.self) { try Endpoint(url: text) } }

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
        // TLS needs its files wherever the word comes.
        #expect(!complaints("listen 127.0.0.1:8080 proxy_protocol tls").isEmpty)
    }

    /// Programs that try the name's IPv6 address first were refused there.
    @Test(.enabled(if: Listener.isOfThisMachine(SocketAddress(host: "::1", port: 0)!)))
    func localhostIsBothItsAddresses() throws {
        let read = try ListenAddress.all(words: ["localhost:8080", "tls"])
        #expect(read.map(\.address.description) == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(read.allSatisfy { $0.isTLS })
        let scene = try ProxyScene("listen localhost:0\nadmin_listen localhost:0")
        #expect(scene.proxy.addresses.map(\.host) == ["127.0.0.1", "::1"])
        // Both addresses of the admin listener have one port.
        let admin = try #require(scene.proxy.adminAddress)
        for host in ["127.0.0.1", "::1"] {
            let address = try #require(SocketAddress(host: host, port: admin.port))
            #expect(throws: SystemError(call: "bind", errno: EADDRINUSE)) { try Listener.rehearse(address) }
        }
        scene.stop()
    }

    @Test(arguments: [
        ("redis://10.0.0.1:7000", "redis://10.0.0.1:7000"), ("redis://cache", "redis://cache:6379"),
        ("REDISS://Cache.Example,b:1", "rediss://cache.example:6379,b:1"),
        ("redis://[::1]:65535,[fd00::2],127.0.0.1", "redis://[::1]:65535,[fd00::2]:6379,127.0.0.1:6379"),
    ])
    func readsAddressesInTheirOrder(text: String, spelling: String) throws {
        let url = try TierURL(text)
        #expect(url.description == spelling && url.isTLS == spelling.hasPrefix("rediss"))
        #expect(url.engines.allSatisfy { $0.isTLS == url.isTLS })
        #expect(try TierURL(spelling) == url, "what is shown is read alike")
    }

    @Test(arguments: [
        "", "cache:6379", "http://cache", "on", "redis:cache", "redis://", "redis://a,", "redis://,a", "redis://a,,b",
        "redis://a:0", "redis://a:65536", "redis://a:x", "redis://[::1", "redis://[a]", "redis://::1", "redis://a b",
        "redis://a,a:6379",
    ])
    func refusesWhatIsNoListOfAddresses(_ text: String) { #expect(throws: ValueError.self) { try TierURL(text) } }

    @Test(arguments: ["redis://a,rediss://b", "rediss://a,redis://b", "redis://a,redis://b"])
    func thereIsOneScheme(_ text: String) {
        let error = thrown { () throws(ValueError) in try TierURL(text) }
        #expect(error?.message == "write the scheme once, before the first address; it applies to all")
    }

    /// A password in the URL was to be refused, and must not reach the log with its refusal.
    @Test(arguments: [
        "redis://me:hunter2@a:6379", "redis://:hunter2@a", "redis://a,b/hunter2", "redis://a?password=hunter2",
        "redis://a#hunter2", "redis://a:hunter2", "redis://hunter2:hunter2", "redis://a,hunter2@b",
    ])
    func saysWhereAPasswordBelongsWithoutRepeatingIt(_ text: String) throws {
        let found = complaints("shared_tier '\(text)'")
        try #require(found.count == 1 && found[0].hasPrefix("proxy.conf:1: shared_tier: "), "\(found)")
        #expect(found[0].contains("shared_tier_auth_file") && !found[0].contains("hunter2"), "\(found)")
        let expected = "expected off, or a URL that begins with redis:// or rediss://"
        #expect(complaints("shared_tier me:hunter2@cache") == ["proxy.conf:1: shared_tier: " + expected])
    }

    @Test func addressesAreBounded() throws {
        func url(_ count: Int) -> String { "redis://" + (0..<count).map { "host\($0)" }.joined(separator: ",") }
        #expect(try TierURL(url(TierURL.mostEngines)).engines.count == TierURL.mostEngines)
        #expect(throws: ValueError("more than 16 addresses")) { try TierURL(url(TierURL.mostEngines + 1)) }
    }
}
