import AppleMusic
import HTTP
import Testing

@testable import Proxy
@testable import Upstream

@Suite struct StorableResponseTests {
    private func response(_ fields: [String], _ body: String = "{\"type\":\"a\",\"id\":\"1\"}") throws
        -> UpstreamResponse
    {
        let bytes = Array(("HTTP/1.1 200 OK\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
        var head = ResponseHead()
        var parser = HeadParser(limits: .response)
        #expect(try parser.parse(bytes.span, into: &head))
        var response = UpstreamResponse(head, bytes.span)
        response.body = Array(body.utf8)
        return response
    }

    @Test(arguments: [
        [], ["Content-Encoding: identity"], ["Content-Encoding: identity", "content-encoding: identity"],
    ])
    func plainContentNamesItsResources(fields: [String]) throws {
        let plain = try response(fields)
        #expect(!plain.hasContentCoding && plain.scan.mentions == [ResourceMention.number(type: "a", id: "1")])
    }

    @Test(arguments: [
        ["Content-Encoding: gzip"], ["Content-Encoding: identity", "Content-Encoding: gzip"],
        ["Content-Encoding: identity, gzip"],
    ])
    func codedContentMayNameAnyResource(fields: [String]) throws {
        let coded = try response(fields)
        #expect(coded.hasContentCoding && coded.scan.mentions == [ResourceMention.everything])
    }
}
