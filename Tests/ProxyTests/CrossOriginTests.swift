import HTTP
import Testing

@testable import Proxy

@Suite struct CrossOriginTests {
    private func parse<R>(_ fields: String, _ body: (RequestHead, Span<UInt8>) -> R) throws -> R {
        let bytes = Array("GET / HTTP/1.1\r\n\(fields)\r\n".utf8)
        var parser = HeadParser(limits: .request)
        let head = RequestHead()
        try #require(try parser.parse(bytes.span, into: head))
        return body(head, bytes.span)
    }

    @Test func crossOriginFieldsFollowTheRequest() throws {
        func fields(_ policy: CrossOrigin, _ origin: String) throws -> String {
            try parse("Host: x\r\n\(origin)") { head, bytes in
                var buffer = ByteBuffer(capacity: 64)
                policy.write(for: head, bytes, to: &buffer)
                return String(decoding: buffer.copyReadable(), as: UTF8.self)
            }
        }
        let named = CrossOrigin.only([Array("https://a.example".utf8)])
        #expect(try fields(.any, "") == "")
        #expect(try fields(.any, "Origin: https://b.example\r\n").contains("Access-Control-Allow-Origin: *\r\n"))
        #expect(try fields(named, "") == "Vary: Origin\r\n")
        #expect(
            try fields(named, "Origin: https://a.example\r\n").contains(
                "Access-Control-Allow-Origin: https://a.example\r\n"))
        #expect(try fields(named, "Origin: https://b.example\r\n") == "Vary: Origin\r\n")
    }
}
