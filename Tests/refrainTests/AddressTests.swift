import EventLoop
import Testing

@testable import refrain

@Suite struct HostPortTests {
    @Test func readsAddressesAndNormalisesNames() throws {
        let spellings = [
            "127.0.0.1:8080": "127.0.0.1:8080", "[::1]:0": "[::1]:0", "localhost:80": "127.0.0.1:80",
            "*:65535": "0.0.0.0:65535",
        ]
        for (text, spelling) in spellings { #expect(try HostPort(text).description == spelling) }
    }

    @Test(arguments: [
        "", "8080", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "::1:80",
        "[127.0.0.1]:80", "[::1:80", "example.com:80", "256.0.0.1:80", "1.2.3:80",
    ])
    func refusesEverythingElse(_ text: String) {
        #expect(throws: ValueError.self) { try HostPort(text) }
    }

    @Test func knowsLoopbackAddresses() throws {
        for text in ["127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "localhost:1"] {
            #expect(try HostPort(text).address.isLoopback, "\(text)")
        }
        for text in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "[::ffff:10.0.0.1]:1", "[fe80::1]:1", "*:1"] {
            #expect(try !HostPort(text).address.isLoopback, "\(text)")
        }
    }
}

@Suite struct EndpointURLTests {
    @Test func readsSchemeHostAndPort() throws {
        #expect(
            try Endpoint(url: "https://api.music.apple.com")
                == Endpoint(isTLS: true, host: "api.music.apple.com", port: 443))
        #expect(try Endpoint(url: "HTTP://LocalHost:8090/") == Endpoint(isTLS: false, host: "localhost", port: 8090))
        #expect(try Endpoint(url: "http://[::1]:9") == Endpoint(isTLS: false, host: "::1", port: 9))
        #expect(try Endpoint(url: "http://[::1]") == Endpoint(isTLS: false, host: "::1", port: 80))
    }

    @Test func writesWhatItReads() throws {
        for text in ["https://a.example", "https://a.example:80", "http://[::1]:9", "http://10.0.0.1"] {
            #expect(try Endpoint(url: text).url == text)
        }
    }

    @Test(
        arguments: [
            "api.music.apple.com", "ftp://a", "https://", "https://a/v1", "https://a?b", "https://a#b", "https://a//",
            "https://a:0", "https://a:65536", "https://a:", "https://a:8x", "https://[::1", "https://[::1]8",
            "https://[a]",
            "https://a b", "https://a\\b", "https://.a", "https://a..b", "https://é",
        ])
    func refusesEverythingElse(_ text: String) {
        #expect(throws: ValueError.self) { try Endpoint(url: text) }
    }

    @Test func doesNotRepeatAPassword() {
        #expect(throws: ValueError("a URL must not contain a user name or password")) {
            try Endpoint(url: "https://me:secret@a")
        }
    }
}
