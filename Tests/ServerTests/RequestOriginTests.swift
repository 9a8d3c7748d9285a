import TestSupport
import Testing

@testable import Server

@Suite struct RequestOriginTests {
    @Test(arguments: [
        ("localhost", true), ("LOCALHOST:8081", true), ("127.0.0.1:8081", true), ("127.1.2.3", true),
        ("[::1]:80", true),
        ("[::1]", true), ("127.example.com", false), ("example.com", false), ("localhost.example.com:80", false),
        ("10.0.0.1", false), ("[::2]", false),
    ])
    func loopbackNamesAreKnownFromNamesThatAnyoneCanRegister(host: String, isLoopback: Bool) throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(request.head.addressesLoopback(request.bytes.span) == isLoopback)
    }
}
