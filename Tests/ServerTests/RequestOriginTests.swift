import HTTP
import Testing

@testable import Server

@Suite struct RequestOriginTests {
    private func parse<R>(_ fields: String, _ body: (RequestHead, Span<UInt8>) -> R) throws -> R {
        let bytes = Array("GET / HTTP/1.1\r\n\(fields)\r\n".utf8)
        var parser = HeadParser(limits: .request)
        let head = RequestHead()
        try #require(try parser.parse(bytes.span, into: head))
        return body(head, bytes.span)
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST:8081", true), ("127.0.0.1:8081", true), ("127.1.2.3", true),
        ("[::1]:80", true),
        ("[::1]", true), ("127.example.com", false), ("example.com", false), ("localhost.example.com:80", false),
        ("10.0.0.1", false), ("[::2]", false),
    ])
    func loopbackNamesAreKnownFromNamesThatAnyoneCanRegister(host: String, isLoopback: Bool) throws {
        #expect(try parse("Host: \(host)\r\n") { $0.addressesLoopback($1) } == isLoopback)
    }
}
