import HTTP
import TestSupport
import Testing

@Suite struct ContentCodingTests {
    private func preferred(_ lines: String...) throws -> ContentCoding {
        let request = try ParsedRequest(
            "GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { "Accept-Encoding: \($0)\r\n" }.joined() + "\r\n")
        return ContentCoding.preferred(by: request.head.fields, request.bytes.span)
    }

    @Test(arguments: [
        "gzip", "GZIP", "x-gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "*;q=0.001",
        "gzip;q=1.000", "gzip ; q=0.5", "deflate,gzip;Q=0.3", "identity;q=0.5, gzip;q=0.5", "gzip, identity",
        "identity;q=0, gzip;q=0.001", " , gzip,", "gzip;q=0, x-gzip", "*;q=0, gzip",
    ])
    func gzipIsWanted(value: String) throws { #expect(try preferred(value) == .gzip) }

    @Test(arguments: [
        "", "identity", "br", "deflate, br", "gzip;q=0", "gzip;q=0.000", "gzip;q=0, *", "x-gzip;q=0", "*;q=0",
        "identity, gzip;q=0.5", "identity;q=0.9, *;q=0.8", "gzipped", "gzi", "gzip;q=", "gzip;q=x", "gzip;q=2",
        "gzip;q=1.001", "gzip;q=-1", "gzip;q=0.5555", "gzip;level=9", "gzip;q", "gzip;", "gzip;q=0.5;x", "\"gzip\"",
        "gzip q=1", "gzip;q=.5",
    ])
    func gzipIsNotWanted(value: String) throws { #expect(try preferred(value) == .identity) }

    @Test func severalLinesAreOneList() throws {
        #expect(try preferred("br", "gzip") == .gzip)
        #expect(try preferred("gzip;q=0.2", "identity") == .identity)
        #expect(try preferred() == .identity)
    }

    @Test func aContentEncodingIsOneLayer() {
        let named = { (text: String) in ContentCoding.named(Array(text.utf8).span) }
        #expect(named("gzip") == .gzip && named("X-Gzip") == .gzip)
        #expect(named("identity") == .identity && named("") == .identity)
        for other in ["gzip, gzip", "br", "deflate", "gzip,", "identity, gzip"] { #expect(named(other) == nil) }
    }
}
