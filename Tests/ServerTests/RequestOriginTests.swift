import TestSupport
import Testing

@testable import EventLoop
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

    /// Another name leads to this address only by an entry in DNS or in a hosts file.
    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1:8080", true), ("10.0.0.1:80", "10.0.0.1:8080", true),
        ("localhost", "10.0.0.1:8080", true),
        ("10.0.0.2", "10.0.0.1:8080", false), ("rebound.example:8080", "10.0.0.1:8080", false),
        ("[fd00::1]:80", "[fd00::1]:8080", true), ("[fd00::2]", "[fd00::1]:8080", false),
    ])
    func aHostIsTheListenersAddressOrALoopbackName(host: String, local: String, isIts: Bool) throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(request.head.addresses(SocketAddress(local), request.bytes.span) == isIts)
    }

    @Test(arguments: [
        ("", false), ("Sec-Fetch-Site: none\r\n", false), ("sec-fetch-site: Same-Origin\r\n", false),
        ("Sec-Fetch-Site: cross-site\r\n", true), ("Sec-Fetch-Site: same-site\r\n", true),
        ("Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n", true), ("Sec-Fetch-Site: \r\n", true),
    ])
    func aBrowserSaysWhetherAnotherSitesPageAsks(field: String, comesFromThere: Bool) throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        #expect(request.head.comesFromAnotherSite(request.bytes.span) == comesFromThere)
    }
}
