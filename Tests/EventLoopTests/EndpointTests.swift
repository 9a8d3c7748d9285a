import Testing

@testable import EventLoop

@Suite struct EndpointTests {
    /// A name with a dot at its end went into the handshake and to the origin as it was.
    @Test func theDotThatEndsANameStaysOutOfTheHandshake() {
        let endpoint = Endpoint(isTLS: true, host: "origin.test.", port: 8443)
        #expect(endpoint.host == "origin.test." && endpoint.name == "origin.test")
        #expect("\(endpoint)" == "origin.test:8443")
        #expect(Endpoint(isTLS: true, host: "origin.test", port: 443).name == "origin.test")
    }

    @Test(arguments: [("a", "a:6379"), ("127.0.0.1", "127.0.0.1:6379"), ("::1", "[::1]:6379")])
    func literalsOfIPv6StandInBracketsBeforeAPort(host: String, text: String) {
        #expect("\(Endpoint(isTLS: false, host: host, port: 6379))" == text)
    }
}
