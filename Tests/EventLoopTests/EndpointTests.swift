import Testing

@testable import EventLoop

@Suite struct EndpointTests {
    @Test(arguments: [("a", "a:6379"), ("127.0.0.1", "127.0.0.1:6379"), ("::1", "[::1]:6379")])
    func literalsOfIPv6StandInBracketsBeforeAPort(host: String, text: String) {
        #expect("\(Endpoint(isTLS: false, host: host, port: 6379))" == text)
    }
}
