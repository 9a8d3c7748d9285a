import HTTP
import TestSupport
import Testing

@testable import Proxy

@Suite struct CrossOriginTests {
    @Test func crossOriginFieldsFollowTheRequest() throws {
        func fields(_ policy: CrossOrigin, _ origin: String) throws -> String {
            let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: x\r\n\(origin)\r\n")
            var buffer = ByteBuffer(capacity: 64)
            policy.write(for: request.head, request.bytes.span, to: &buffer)
            return String(decoding: buffer.copyReadable(), as: UTF8.self)
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
