import Testing

@testable import refrain

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ([], false, false), (["tls"], true, false), (["proxy_protocol"], false, true),
        (["tls", "proxy_protocol"], true, true), (["proxy_protocol", "tls"], true, true),
    ])
    func theWordsBehindTheAddressSayWhatIsSpoken(words: [String], isTLS: Bool, expectsHeader: Bool) throws {
        let read = try ListenAddress(words: ["127.0.0.1:8080"] + words)
        #expect(
            read
                == ListenAddress(
                    address: HostPort(host: "127.0.0.1", port: 8080), isTLS: isTLS, expectsHeader: expectsHeader))
    }

    @Test(arguments: [
        (["ssl"], "\"ssl\" is not \"tls\" or \"proxy_protocol\""),
        (["tls", "proxy"], "\"proxy\" is not \"tls\" or \"proxy_protocol\""),
        (["tls", "tls"], "\"tls\" is said twice"),
        (["proxy_protocol", "proxy_protocol"], "\"proxy_protocol\" is said twice"),
    ])
    func otherWordsAreMistakes(words: [String], message: String) {
        #expect(throws: ValueError(message)) { try ListenAddress(words: ["127.0.0.1:8080"] + words) }
    }

    /// TLS needs its files wherever the word stands.
    @Test func tlsIsSeenBehindTheOtherWord() {
        let files = MemoryFiles(texts: ["proxy.conf": "listen 127.0.0.1:8080 proxy_protocol tls"])
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationReader.read("proxy.conf", files: files.access)
        }
    }
}
